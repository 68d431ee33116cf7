/** HTML of Markdown pages as JSX: closed, quoted, without what only a framework reads. */

const voids = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))
const piece =
  /<!--[\s\S]*?-->|<(script|style|template)\b[^>]*>[\s\S]*?<\/\1\s*>|<\/?[A-Za-z][\w.:-]*(?:\s+[^\s=>/"']+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*\s*\/?>|[{<]/g
const attributePattern = /([^\s=>/"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g

export type Told = (message: string) => void

/** @param told What was left out. */
export function htmlToJsx(html: string, told: Told): string {
  return html.replaceAll(piece, (match: string, block: string | undefined) => {
    if (match.startsWith('<!--')) return commentToJsx(match)
    if (block !== undefined) {
      if (block !== 'template') told(`A \`<${block}>\` was left out: pages have none.`)
      return ''
    }
    if (match === '{') return `\\${match}`
    if (match === '<') return '&lt;'
    return tagToJsx(match, told)
  })
}

export function commentToJsx(comment: string): string {
  return `{/*${comment.slice(4, -3).replaceAll('*/', '* /')}*/}`
}

function tagToJsx(tag: string, told: Told): string {
  const [, slash = '', name = '', rest = '', end = ''] = /^<(\/?)([\w.:-]+)([\s\S]*?)(\/?)>$/.exec(tag) ?? []
  if (slash === '/') return voids.has(name.toLowerCase()) ? '' : `</${name}>`
  const isVoid = voids.has(name.toLowerCase()) || end === '/'
  return `<${name}${attributesToJsx(rest, told)}${isVoid ? ' /' : ''}>`
}

function attributesToJsx(text: string, told: Told): string {
  let done = ''
  for (const [, name = '', double, single, bare] of text.matchAll(attributePattern)) {
    if (name === 'markdown' || name === 'v-pre') continue
    if (/^(?:[@:#]|v-|on[a-z])/.test(name)) {
      told(`\`${name}\` of a tag needs a script, and was left out.`)
      continue
    }
    const value = double ?? single ?? bare
    done += value === undefined ? ` ${name}` : ` ${name}="${value.replaceAll('"', '&quot;')}"`
  }
  return done
}

/** HTML of a page that stays Markdown: without scripts, and without tags that only a framework knows. */
export function withoutScripts(html: string, told: Told): string {
  return html.replaceAll(piece, (match: string, block: string | undefined) => {
    if (match.startsWith('<!--') || /^[{<]$/.test(match)) return match
    if (block !== undefined && block !== 'template') {
      told(`A \`<${block}>\` was left out: pages have none.`)
      return ''
    }
    const [, slash = '', name = ''] = /^<(\/?)([\w.:-]+)/.exec(match) ?? []
    if (name === 'template') return ''
    if (!/^[A-Z]|-/.test(name)) return match
    if (slash === '/') return ''
    told(`\`<${name}>\` is a component of the site’s own.`)
    return match.endsWith('/>') ? `<!-- ${match.replaceAll('--', '- -')} -->` : ''
  })
}

/** Addresses in the tags of a piece of HTML. */
export function mapAddresses(html: string, map: (address: string, name: string) => string): string {
  return html.replaceAll(
    /(<[A-Za-z][\w.-]*\b[^>]*?\s)(src|href|poster)=("[^"]*"|'[^']*'|[^\s"'>]+)/g,
    (match: string, head: string, name: string, quoted: string) => {
      const bare = quoted.replace(/^(["'])(.*)\1$/s, '$2')
      const mapped = map(bare, name)
      return mapped === bare ? match : `${head}${name}="${mapped}"`
    },
  )
}
