import { all, closest, make, on } from './dom.ts'

const copyLabel = 'Copy code'
const copied = 'Copied'

/** A copy button on each code block, and headings whose anchor copies the address of the section. */
export function startCopy(): void {
  for (const block of all('.q-code')) {
    if (block.querySelector('[data-copy]') === null)
      block.append(make('button', { type: 'button', class: 'q-copy', 'data-copy': '', 'aria-label': copyLabel }))
  }
  on('click', (event) => {
    const button = closest(event, '[data-copy]')
    if (button !== null) {
      const code = button.closest('.q-code')?.querySelector('pre')?.textContent
      if (code != null) void copy(code.replace(/\n$/, ''), button)
      return
    }
    const anchor = closest(event, '.q-heading-anchor')
    if (anchor instanceof HTMLAnchorElement) void copy(anchor.href, anchor)
  })
}

async function copy(text: string, button: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // No permission, or not a secure context: the button says so by not saying that it worked.
    return
  }
  const label = button.getAttribute('aria-label') ?? copyLabel
  if (label === copied) return
  button.setAttribute('data-copied', '')
  button.setAttribute('aria-label', copied)
  setTimeout(() => {
    button.removeAttribute('data-copied')
    button.setAttribute('aria-label', label)
  }, 1600)
}
