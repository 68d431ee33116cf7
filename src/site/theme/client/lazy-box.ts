import { all, base, make } from './browser.ts'

interface Box {
  /** @param given what the box begins with */
  readonly open: (given?: number) => void
}

/** Opens a box whose script and style are loaded when it is opened first. */
export function openerOf(script: string, style: string): Box['open'] {
  let loading: Promise<Box> | undefined
  return (given) => {
    loading ??= load(base + script, base + style)
    loading.then(
      (box) => box.open(given),
      () => {
        // The next click tries again.
        loading = undefined
      },
    )
  }
}

async function load(script: string, style: string): Promise<Box> {
  const link = make('link', { rel: 'stylesheet', href: style })
  const styled = new Promise((resolve, reject) => {
    link.addEventListener('load', resolve)
    link.addEventListener('error', reject)
  })
  all('head')[0]?.append(link)
  const [box] = await Promise.all([import(/* @vite-ignore */ script) as Promise<Box>, styled])
  return box
}
