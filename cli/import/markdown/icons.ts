/** Icons of Starlight and Material that have another name in Lucide and Font Awesome. */
const names: Readonly<Record<string, string>> = {
  'right-arrow': 'arrow-right',
  'left-arrow': 'arrow-left',
  'right-caret': 'chevron-right',
  'down-caret': 'chevron-down',
  'up-caret': 'chevron-up',
  'left-caret': 'chevron-left',
  external: 'external-link',
  magnifier: 'search',
  'forward-slash': 'slash',
  close: 'x',
  error: 'circle-x',
  warning: 'triangle-alert',
  'approve-check': 'check',
  'approve-check-circle': 'circle-check',
  information: 'info',
  setting: 'settings',
  'seti:folder': 'folder',
  document: 'file-text',
  'add-document': 'file-plus',
  'open-book': 'book-open',
  comment: 'message-circle',
  'comment-alt': 'message-square',
  'list-format': 'list',
  bars: 'menu',
  random: 'shuffle',
  vercel: 'triangle',
  'x.com': 'x-twitter',
  backSlash: 'slash',
  email: 'mail',
  rss: 'rss',
  translate: 'languages',
  'cloud-download': 'cloud-download',
  alpine: 'mountain',
  astro: 'rocket',
  pnpm: 'package',
  biome: 'leaf',
  bun: 'package',
  'code-branch': 'git-branch',
  node: 'node-js',
  farcaster: 'castle',
  moon: 'moon',
  starlight: 'star',
}

/** An icon in our words: `seti:` names are kinds of files, brands and the rest mostly keep their name. */
export function iconOf(name: string): string {
  const known = names[name]
  if (known !== undefined) return known
  if (name.startsWith('seti:')) return 'file'
  return name
    .replace(/^(?:material|octicons|simple|fontawesome)[-/](?:(?:solid|regular|brands)[-/])?/, '')
    .replace(/-(?:16|24)$/, '')
    .replaceAll('/', '-')
}
