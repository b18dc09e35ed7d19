# Tessera's hook for zsh. The only file that zsh finds by our ZDOTDIR: it gives the variable back at once, so that zsh
# reads the person's own .zprofile, .zshrc and .zlogin from where they are. Marks for the terminal are added at the
# first prompt: OSC 7 (folder) and OSC 133 (prompt, command, output, status).

if [[ -n "${TESSERA_ZDOTDIR+x}" ]]; then
  \builtin export ZDOTDIR="$TESSERA_ZDOTDIR"
  \builtin unset TESSERA_ZDOTDIR
else
  \builtin unset ZDOTDIR
fi
if [[ -r "${ZDOTDIR-$HOME}/.zshenv" ]]; then
  \builtin source "${ZDOTDIR-$HOME}/.zshenv"
fi

if [[ -o interactive ]]; then
  \builtin typeset -g __tessera_ran=0 __tessera_folder='' __tessera_encoded='' __tessera_titled=1 __tessera_titled_for=''
  \builtin typeset -g __tessera_a=$'%{\e]133;A\a%}' __tessera_b=$'%{\e]133;B\a%}'

  # Sets __tessera_encoded: every byte that has no place in a URL as %XX.
  __tessera_encode() {
    \builtin emulate -L zsh
    \builtin setopt no_multibyte extended_glob
    \builtin local LC_ALL=C text=$1 out='' byte
    \builtin local -i i
    for ((i = 1; i <= $#text; i++)); do
      byte=${text[i]}
      if [[ $byte == [a-zA-Z0-9/._~-] ]]; then
        out+=$byte
      else
        \builtin printf -v byte '%%%02X' $(( #byte & 255 ))
        out+=$byte
      fi
    done
    __tessera_encoded=$out
  }

  __tessera_precmd() {
    \builtin local -i state=$? percent=0
    if [[ -o prompt_percent ]]; then percent=1; fi
    \builtin emulate -L zsh
    if [[ $__tessera_ran == 1 ]]; then
      \builtin printf '\e]133;D;%s\a' $state
      __tessera_ran=0
    fi
    if [[ $PWD != $__tessera_folder ]]; then
      __tessera_folder=$PWD
      __tessera_encode $PWD
    fi
    \builtin printf '\e]7;file://%s%s\a' "${HOST-}" $__tessera_encoded
    if __tessera_titles_itself; then :; else
      \builtin printf '\e]2;%s\a' "${${(%):-%~}//[[:cntrl:]]/}"
    fi
    if ((percent)) && [[ ${(t)PS1} != *readonly* ]]; then
      __tessera_mark_prompt
    else
      \builtin printf '\e]133;A\a'
    fi
    # Whoever builds the prompt anew before every prompt must have done so before us. This time they come after us:
    # what is scheduled for now runs when all of them are through.
    if [[ ${precmd_functions[-1]-} != __tessera_precmd ]]; then
      precmd_functions=(${precmd_functions:#__tessera_precmd} __tessera_precmd)
      if ((percent)) && \builtin zmodload -i zsh/sched 2>/dev/null; then \builtin sched +0 __tessera_mark_prompt; fi
    fi
  }

  __tessera_mark_prompt() {
    \builtin emulate -L zsh
    if [[ ${(t)PS1} != *readonly* && $PS1 != *$__tessera_a* ]]; then PS1="$__tessera_a$PS1$__tessera_b"; fi
  }

  __tessera_preexec() {
    \builtin emulate -L zsh
    __tessera_ran=1
    if __tessera_titles_itself; then :; else
      \builtin printf '\e]2;%s\a' "${${1[1,120]%%$'\n'*}//[[:cntrl:]]/}"
    fi
    \builtin printf '\e]133;C\a'
  }

  # True if the person's prompt or hooks set a title: then ours would only flicker.
  __tessera_titles_itself() {
    \builtin emulate -L zsh
    if [[ $PS1 == *(']0;'|']2;')* ]]; then \builtin return 0; fi
    \builtin local hook hooks="$precmd_functions $preexec_functions"
    if [[ $hooks != $__tessera_titled_for ]]; then
      __tessera_titled_for=$hooks
      __tessera_titled=1
      for hook in precmd preexec $precmd_functions $preexec_functions; do
        if [[ $hook == __tessera_* ]]; then continue; fi
        if [[ $hook == *(title|termsupport)* || ${functions[$hook]-} == *(']0;'|']1;'|']2;')* ]]; then
          __tessera_titled=0
        fi
      done
    fi
    \builtin return $__tessera_titled
  }

  \builtin typeset -ga precmd_functions preexec_functions
  precmd_functions+=(__tessera_precmd)
  preexec_functions+=(__tessera_preexec)
fi
