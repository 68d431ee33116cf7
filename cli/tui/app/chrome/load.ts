import type { ChromeRenderer } from './frame.ts'

/** Told that Ink may write 256 colours; without what contradicts that, of which Node warns in the middle of the screen. */
const whileLoading = { FORCE_COLOR: '2', NO_COLOR: undefined, NODE_DISABLE_COLORS: undefined }

/**
 * Loads Ink, which asks once, while it is loaded, how many colours there are: it writes names of the theme as 256 of
 * them.
 */
export async function loadChrome(): Promise<ChromeRenderer> {
  const before = Object.keys(whileLoading).map((name) => [name, process.env[name]] as const)
  setEnvironment(Object.entries(whileLoading))
  try {
    const { Chrome } = await import('./chrome.tsx')
    return new Chrome()
  } finally {
    setEnvironment(before)
  }
}

function setEnvironment(values: readonly (readonly [name: string, value: string | undefined])[]): void {
  for (const [name, value] of values)
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
}
