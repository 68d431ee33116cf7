/**
 * What a shell runs when somebody presses Tab: it asks `quire complete` what may stand there, a word a line with what it
 * means behind a tab. Where that knows nothing, the shell completes names of files.
 */
export const completionScripts = {
  bash: `# eval "$(quire completion bash)" in ~/.bashrc
_quire() {
  local word
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    COMPREPLY+=("$word")
  done < <(quire complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _quire quire
`,
  zsh: `#compdef quire
# eval "$(quire completion zsh)" in ~/.zshrc, after compinit; or as _quire in a folder of fpath
_quire() {
  local line
  local -a found
  for line in "\${(@f)$(quire complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line//:/\\\\:}/$'\\t'/:}")
  done
  if (( $#found )); then
    _describe -V quire found
  else
    _files
  fi
}
if [[ $funcstack[1] == _quire ]]; then
  _quire "$@"
else
  compdef _quire quire
fi
`,
  fish: `# quire completion fish | source, in ~/.config/fish/config.fish
function __quire_complete
  set -l before (commandline --tokenize --cut-at-cursor --current-process)
  set -l word (commandline --current-token --cut-at-cursor)
  set -l found (quire complete -- $before[2..] "$word" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$word"
  end
end
complete --command quire --no-files --keep-order --arguments '(__quire_complete)'
`,
} as const

export type Shell = keyof typeof completionScripts
