import type { App } from '../../app/app.ts'

/**
 * Shows a secret that nobody can show again. It stays until the person closes it, also when it was copied: not every
 * terminal lets a program do that, and none says so.
 */
export async function showOnce(
  app: App,
  { title, secret, about }: { readonly title: string; readonly secret: string; readonly about: readonly string[] },
): Promise<void> {
  let isCopied = false
  for (;;) {
    const last = isCopied
      ? 'It was sent to the clipboard. Not every terminal allows that: paste it where it is kept before you close this.'
      : 'It is shown only now.'
    const body = [secret, ...about, last]
    if (await app.dialogs.confirm({ title, body, act: isCopied ? 'Copy again' : 'Copy', leave: 'close' })) {
      app.copy(secret)
      isCopied = true
    } else if (isCopied || (await isLetGo(app))) return
  }
}

function isLetGo(app: App): Promise<boolean> {
  const body = ['It cannot be shown again.']
  return app.dialogs.confirm({ title: 'Close without copying it?', body, act: 'Close', leave: 'back', danger: true })
}
