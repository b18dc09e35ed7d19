# Tessera's hook for bash, read in place of ~/.bashrc (bash --rcfile). First the person's own files, as bash itself
# would read them; then marks for the terminal: OSC 7 (folder) and OSC 133 (prompt, command, output, status).

if [ -n "${TESSERA_LOGIN_SHELL-}" ]; then
  \builtin unset TESSERA_LOGIN_SHELL
  if [ -r /etc/profile ]; then . /etc/profile; fi
  if [ -r ~/.bash_profile ]; then . ~/.bash_profile
  elif [ -r ~/.bash_login ]; then . ~/.bash_login
  elif [ -r ~/.profile ]; then . ~/.profile
  fi
elif [ -r ~/.bashrc ]; then
  . ~/.bashrc
fi

if [[ $- == *i* && -z ${__tessera_hooked-} ]]; then
__tessera_hooked=1
# 1 from the moment a command starts until its status is told.
__tessera_ran=0
__tessera_folder=
__tessera_encoded=
__tessera_status=0
# What __tessera_ran goes back to; 1 where starts cannot be noted.
__tessera_idle=0
__tessera_titled=
__tessera_titled_for=
__tessera_a=$'\\[\e]133;A\a\\]'
__tessera_b=$'\\[\e]133;B\a\\]'
# Number of the history's next command, as it was at the prompt.
__tessera_history=
# Bash expands it between reading a command and running it: the command as the title, the mark, and nothing that shows
# but the note that a command runs.
__tessera_c='${__tessera_hooked+$(__tessera_announce)}\e]133;C\a${__tessera_folder:0:$((__tessera_ran=1,0))}'

# Sets __tessera_encoded: every byte that has no place in a URL as %XX.
__tessera_encode() {
  \builtin local LC_ALL=C text="$1" out= i byte
  for ((i = 0; i < ${#text}; i++)); do
    byte=${text:i:1}
    case $byte in
      [a-zA-Z0-9/._~-]) out+=$byte ;;
      *)
        \builtin printf -v byte '%d' "'$byte"
        \builtin printf -v byte '%%%02X' "$((byte & 255))"
        out+=$byte
        ;;
    esac
  done
  __tessera_encoded=$out
}

# A name that the person made readonly is left alone.
__tessera_is_writable() {
  \builtin local flags
  flags=$(\builtin declare -p "$1" 2>/dev/null) || \builtin return 0
  flags=${flags#declare -}
  [[ ${flags%% *} != *r* ]]
}

# Sets __tessera_titled if a prompt command sets the title: ours would only undo it.
__tessera_look_for_title() {
  \builtin local word text
  __tessera_titled_for=${PROMPT_COMMAND[*]-}
  __tessera_titled=
  text=$__tessera_titled_for
  for word in ${text//[^a-zA-Z0-9_:-]/ }; do
    if [[ $word != __tessera_* ]]; then text+=$(\builtin declare -f -- "$word" 2>/dev/null); fi
  done
  if [[ $text == *']'[02]';'* ]]; then __tessera_titled=1; fi
}

# The command as the title while it runs; the prompt sets the title again. Only what the history has just taken: what
# the person keeps out of it is nobody's business. A title of the person's own stays, unless it is the folder, as ours.
__tessera_announce() {
  if [[ -n $__tessera_titled || ${HISTCMD-} == "$__tessera_history" ]]; then \builtin return; fi
  if [[ ${PS1-} == *']'[02]';'* && ${PS1-} != *']'[02]';'*'\'[wW]* ]]; then \builtin return; fi
  \builtin local line form='^ *[0-9]+[* ] ?(.*)$'
  line=$(HISTTIMEFORMAT='' \builtin history 1 2>/dev/null)
  if [[ ${line%%$'\n'*} =~ $form ]]; then
    line=${BASH_REMATCH[1]:0:120}
    \builtin printf '\e]2;%s\a' "${line//[[:cntrl:]]/}"
  fi
}

__tessera_prompt() {
  \builtin local status="${1:-$?}"
  if [[ $__tessera_ran == 1 ]]; then
    \builtin printf '\e]133;D;%s\a' "$status"
  fi
  __tessera_ran=$__tessera_idle
  __tessera_history=${HISTCMD-}
  if [[ ${PWD-} != "$__tessera_folder" ]]; then
    __tessera_folder=${PWD-}
    __tessera_encode "$__tessera_folder"
  fi
  \builtin printf '\e]7;file://%s%s\a' "${HOSTNAME-}" "$__tessera_encoded"
  if [[ ${PROMPT_COMMAND[*]-} != "$__tessera_titled_for" ]]; then __tessera_look_for_title; fi
  if [[ -z $__tessera_titled && ${PS1-} != *']'[02]';'* ]]; then
    \builtin local shown="$__tessera_folder"
    if [[ -n ${HOME-} && $shown == "$HOME"?(/*) ]]; then shown="~${shown#"$HOME"}"; fi
    \builtin printf '\e]2;%s\a' "${shown//[[:cntrl:]]/}"
  fi
  if [[ $__tessera_ps1 == 1 ]]; then
    if [[ ${PS1-} != *"$__tessera_a"* ]]; then PS1="$__tessera_a${PS1-}$__tessera_b"; fi
  else
    \builtin printf '\e]133;A\a'
  fi
  if [[ $__tessera_ps0 == 1 && ${PS0-} != *"$__tessera_c"* ]]; then PS0="${PS0-}$__tessera_c"; fi
  \builtin return "$status"
}

__tessera_ps1=0
if __tessera_is_writable PS1; then __tessera_ps1=1; fi
__tessera_ps0=0
if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) && __tessera_is_writable PS0; then
  __tessera_ps0=1
  # Without expansion in prompts nothing can be noted; the mark alone still works.
  if ! \builtin shopt -q promptvars; then
    __tessera_c='\e]133;C\a'
    __tessera_idle=1
  fi
else
  __tessera_idle=1
fi

# The person's own prompt commands keep their order and see the status; ours comes last, so that it finds their PS1.
if __tessera_is_writable PROMPT_COMMAND; then
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then
    if [[ -z ${PROMPT_COMMAND[*]-} ]]; then PROMPT_COMMAND=(); fi
    PROMPT_COMMAND+=(__tessera_prompt)
  else
    __tessera_begin() {
      __tessera_status=$?
      \builtin return "$__tessera_status"
    }
    # Harmless in a shell that inherits the variable: our functions are not there, and then it says nothing.
    PROMPT_COMMAND=$'${__tessera_hooked+__tessera_begin}\n'"${PROMPT_COMMAND-}"$'\n${__tessera_hooked+__tessera_prompt "$__tessera_status"}'
  fi
fi
\builtin unset -f __tessera_is_writable
fi
