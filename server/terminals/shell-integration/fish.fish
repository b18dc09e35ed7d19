# Tessera's hook for fish, run after the person's configuration (fish --init-command). It marks for the terminal:
# OSC 7 (folder) and OSC 133 (prompt, command, output, status). Fish sets titles and keeps its history by itself.

if status is-interactive; and not functions -q __tessera_prompt
    # Fish 4 marks folder, prompt, output and status by itself.
    set -g __tessera_marks 1
    if test (string split . -- $version)[1] -ge 4
        set -g __tessera_marks 0
    end
    set -g __tessera_ran 0

    function __tessera_return
        return $argv[1]
    end

    # The person's prompt, between marks. It must see the status of the last command, and nothing of ours.
    function __tessera_wrap
        functions -e __tessera_inner
        functions -c fish_prompt __tessera_inner
        function fish_prompt
            set -l __tessera_last $status
            test $__tessera_marks -eq 1; and printf '\e]133;A\a'
            __tessera_return $__tessera_last
            __tessera_inner
            printf '\e]133;B\a'
        end
    end

    function __tessera_prompt --on-event fish_prompt
        if test $__tessera_marks -eq 1
            printf '\e]7;file://%s%s\a' $hostname (string escape --style=url -- $PWD)
        end
        # Another prompt may have been chosen since.
        if not string match -q '*__tessera_inner*' -- (functions fish_prompt)
            __tessera_wrap
        end
    end

    if test $__tessera_marks -eq 1
        function __tessera_preexec --on-event fish_preexec
            printf '\e]133;C\a'
        end
        function __tessera_postexec --on-event fish_postexec
            printf '\e]133;D;%s\a' $status
        end
    end
end
