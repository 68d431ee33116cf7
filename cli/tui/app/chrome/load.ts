import type { ChromeRenderer } from './frame.ts'

/**
 * Loads Ink, which asks once, while it is loaded, how many colours there are: it writes names of the theme as 256 of
 * them.
 */
export async function loadChrome(): Promise<ChromeRenderer> {
  const { env } = process
  const color = env['FORCE_COLOR']
  env['FORCE_COLOR'] = '2'
  try {
    const { Chrome } = await import('./chrome.tsx')
    return new Chrome()
  } finally {
    if (color === undefined) delete env['FORCE_COLOR']
    else env['FORCE_COLOR'] = color
  }
}
