import { byId } from './dom.ts'

/** Opens what hides the target of the address: tabs and folded parts, from the outside in. */
export function startReveal(): void {
  const reveal = (): void => {
    const target = byId(fragment())
    if (target === null) return
    let hidden = false
    for (let element: HTMLElement | null = target; element !== null; element = element.parentElement) {
      if (element instanceof HTMLDetailsElement && !element.open) {
        element.open = true
        hidden = true
      } else if (element.matches('.q-tab[hidden]')) {
        byId(`${element.id}-button`)?.click()
        hidden = true
      }
    }
    if (hidden) target.scrollIntoView()
  }
  reveal()
  addEventListener('hashchange', reveal)
}

function fragment(): string {
  const raw = location.hash.slice(1)
  try {
    return decodeURIComponent(raw)
  } catch {
    return raw
  }
}
