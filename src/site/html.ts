const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const SPECIAL = /[&<>"']/
const ALL_SPECIAL = /[&<>"']/g

/** Escapes text so that it is safe between tags and in quoted attribute values. */
export function escapeHtml(text: string): string {
  return SPECIAL.test(text) ? text.replace(ALL_SPECIAL, (character) => ESCAPES[character] ?? character) : text
}

/**
 * Attributes of an opening tag, each with a leading space: `<a${attributes({ href })}>`. `undefined`, `null` and
 * `false` leave an attribute out, `true` writes it bare. Values are escaped; names are ours, so an invalid one is a bug.
 * It does not judge values: check an href with the page's link rules first.
 * @throws {TypeError} for a name that is not letters, digits, `-`, `:` or `_`
 */
export function attributes(record: Readonly<Record<string, string | number | boolean | null | undefined>>): string {
  let out = ''
  for (const [name, value] of Object.entries(record)) {
    if (value === undefined || value === null || value === false) continue
    if (!/^[A-Za-z_:][A-Za-z0-9_:-]*$/.test(name)) throw new TypeError(`Not an attribute name: ${JSON.stringify(name)}`)
    out += value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`
  }
  return out
}
