import { closest, on, root } from './dom.ts'
import { recall, remember } from './store.ts'

const key = 'q-theme'

/** Light and dark: the button, other windows of the site, and the system while the reader has not chosen. */
export function startTheme(): void {
  on('click', (event) => {
    if (closest(event, '[data-theme-toggle]') === null) return
    const next = root.getAttribute('data-theme') === 'dark' ? 'light' : 'dark'
    root.setAttribute('data-theme', next)
    remember(key, next)
  })
  if (root.hasAttribute('data-strict')) return
  addEventListener('storage', (event) => {
    if (event.key === key && (event.newValue === 'light' || event.newValue === 'dark'))
      root.setAttribute('data-theme', event.newValue)
  })
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({ matches }) => {
    if (root.getAttribute('data-appearance') === 'system' && recall(key) === null)
      root.setAttribute('data-theme', matches ? 'dark' : 'light')
  })
}
