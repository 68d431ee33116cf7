import type { App } from '../../app/app.ts'

interface Address {
  readonly title: string
  readonly address: string
}

/** Opens an address in the browser; without one here it is copied, and shown to be copied by hand. */
export async function openAddress(app: App, { title, address }: Address): Promise<void> {
  if (!app.environment.browser) return showAddress(app, { title, address })
  app.openBrowser(address)
  app.notify(`Opened ${address}`)
}

/** For who opens it elsewhere. */
export async function showAddress(app: App, { title, address }: Address): Promise<void> {
  app.copy(address)
  await app.dialogs.tell({
    title,
    body: [address, 'No browser can be opened here. The address is in your clipboard, if your terminal allows that.'],
  })
}
