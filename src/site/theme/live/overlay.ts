import { make, root } from '../client/browser.ts'

/** What is wrong with a build, at a place of a file. */
export interface BuildError {
  readonly path?: string
  readonly line?: number
  readonly column?: number
  readonly message: string
  readonly frame?: string
  readonly hint?: string
}

const style = `
:host { all: initial; position: fixed; inset: 0; z-index: 2147483647; display: grid; align-items: end }
.shade { position: absolute; inset: 0; background: rgb(0 0 0 / 45%) }
section { position: relative; box-sizing: border-box; width: min(60rem, 100% - 2rem); max-height: min(70vh, 40rem); overflow: auto;
  margin: 1rem auto; padding: 1.25rem 1.5rem; border-radius: 12px; border-top: 4px solid #f04438; background: #18181b; color: #f4f4f5;
  font: 15px/1.55 system-ui, sans-serif; box-shadow: 0 20px 50px rgb(0 0 0 / 50%) }
header { display: flex; gap: 1rem; align-items: baseline; justify-content: space-between }
h2 { margin: 0; font-size: 1rem; color: #fda29b }
button { font: inherit; font-size: 13px; color: #d4d4d8; background: none; border: 1px solid #52525b; border-radius: 6px; padding: .15rem .6rem; cursor: pointer }
button:focus-visible { outline: 2px solid #fda29b; outline-offset: 2px }
article + article { border-top: 1px solid #3f3f46; margin-top: 1rem }
.place { margin: 1rem 0 0; font: 13px/1.5 ui-monospace, monospace; color: #a1a1aa; overflow-wrap: anywhere }
.message { margin: .25rem 0 0; overflow-wrap: anywhere; white-space: pre-wrap }
.hint { margin: .25rem 0 0; color: #a1a1aa }
pre { margin: .75rem 0 0; padding: .75rem 1rem; overflow-x: auto; border-radius: 8px; background: #09090b; font: 13px/1.55 ui-monospace, monospace; tab-size: 4 }
mark { background: none; color: #fda29b }
footer { margin-top: 1rem; font-size: 13px; color: #a1a1aa }
@media (prefers-reduced-motion: no-preference) { section { animation: rise .12s ease-out } @keyframes rise { from { transform: translateY(8px); opacity: 0 } } }
`

/** What does not build, over the page as it was before. It goes when it is mended, or when somebody puts it away. */
export class Overlay {
  #host: HTMLElement | undefined
  #shown = ''

  constructor() {
    addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.#host?.remove()
    })
  }

  show(errors: readonly BuildError[]): void {
    const key = JSON.stringify(errors)
    if (key === this.#shown) return
    this.#shown = key
    this.#host?.remove()
    this.#host = undefined
    if (errors.length === 0) return
    const host = make('quire-overlay' as 'div', {})
    const shadow = host.attachShadow({ mode: 'open' })
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(style)
    shadow.adoptedStyleSheets = [sheet]
    const close = element('button', 'Put away')
    close.type = 'button'
    close.addEventListener('click', () => host.remove())
    const header = element('header')
    header.append(
      element('h2', errors.length === 1 ? 'This does not build' : `${errors.length} places do not build`),
      close,
    )
    const section = element('section')
    section.setAttribute('role', 'alert')
    section.append(header, ...errors.slice(0, 20).map(articleOf))
    section.append(
      element('footer', 'Below is the page as it was before. This goes away as soon as the place is mended.'),
    )
    const shade = element('div', undefined, 'shade')
    shade.addEventListener('click', () => host.remove())
    shadow.append(shade, section)
    // Beside the body, which follows the page.
    root.append(host)
    this.#host = host
  }
}

function articleOf({ path, line, column, message, frame, hint }: BuildError): HTMLElement {
  const place = [path, line, column].filter((part) => part !== undefined).join(':')
  const article = element('article')
  if (place !== '') article.append(element('p', place, 'place'))
  article.append(element('p', message, 'message'))
  if (hint !== undefined) article.append(element('p', hint, 'hint'))
  if (frame !== undefined) {
    const code = element('pre')
    for (const row of frame.split('\n')) {
      // The line itself, and the mark under its column.
      const isPlace = row.startsWith('>') || /^\s*\|\s*\^$/.test(row)
      code.append(element(isPlace ? 'mark' : 'span', `${row}\n`))
    }
    article.append(code)
  }
  return article
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text?: string,
  className?: string,
): HTMLElementTagNameMap[Name] {
  const made = make(name, className === undefined ? {} : { class: className })
  if (text !== undefined) made.textContent = text
  return made
}
