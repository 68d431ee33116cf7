import { all } from './browser.ts'

/*
 * The form under a page. Without this script it is sent as a form; with it the answer goes at once, and a note may follow.
 * Nothing is kept in the browser.
 */

function start(form: HTMLElement): void {
  const part = (name: string): HTMLElement | null => form.querySelector(`.q-feedback-${name}`)
  const [status, note] = [part('status'), form.querySelector('textarea')]
  const page = form.querySelector('input')?.value ?? ''
  let answer = ''

  const say = (text: string | null): void => {
    if (status !== null) status.textContent = text
  }
  const send = async (fields: Record<string, string>): Promise<boolean> => {
    say('')
    try {
      const body = new URLSearchParams({ path: page, ...fields })
      const { ok } = await fetch(form.getAttribute('action') ?? '', { method: 'POST', body })
      say(ok ? (status?.getAttribute('data-thanks') ?? '') : form.getAttribute('data-failed'))
      return ok
    } catch {
      say(form.getAttribute('data-failed'))
      return false
    }
  }
  const choose = async (button: HTMLElement): Promise<void> => {
    const helpful = button.getAttribute('value') ?? ''
    if (answer !== '' || !form.isConnected) return
    answer = helpful
    if (!(await send({ helpful }))) {
      answer = ''
      return
    }
    button.setAttribute('aria-pressed', 'true')
    // Still to be focused, so that nobody loses their place.
    for (const one of form.querySelectorAll('.q-feedback-answer')) one.setAttribute('aria-disabled', 'true')
    form.setAttribute('data-answered', '')
  }
  const write = async (): Promise<void> => {
    const text = note?.value.trim() ?? ''
    if (text === '' || !(await send({ helpful: answer, voted: 'yes', note: text }))) return
    form.removeAttribute('data-answered')
    form.querySelector<HTMLElement>('[aria-pressed]')?.focus()
  }

  form.addEventListener('submit', (event) => event.preventDefault())
  form.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('button') : null
    if (button?.matches('.q-feedback-answer') === true) void choose(button)
    else if (button !== null) void write()
  })
}

for (const form of all('form.q-feedback[data-failed]')) start(form)
