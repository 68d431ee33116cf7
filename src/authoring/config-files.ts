import { resolved } from './links.ts'

/** Where the configuration of a site begins. */
export const configFile = 'docs.json'
/** Files of one configuration; the builder takes more, which nobody writes by hand. */
const most = 32

/** The files that a file of the configuration includes by `$ref`. @param at path of that file */
function includedBy(text: string, at: string): readonly string[] {
  return Array.from(text.matchAll(/"\$ref"\s*:\s*"([^"\\\n]+\.json)"/gi), ([, ref = '']) => resolved(ref, at))
}

/**
 * docs.json and all that it includes, each told with its text before what it includes itself.
 * @param read undefined where there is no such file
 */
export async function eachConfigFile(
  read: (path: string) => Promise<string | undefined>,
  tell: (path: string, text: string) => void | Promise<void>,
): Promise<void> {
  const paths = new Set([configFile])
  // What is added while it is gone through comes last.
  for (const path of paths) {
    const text = await read(path)
    if (text === undefined) continue
    await tell(path, text)
    for (const included of includedBy(text, path)) if (paths.size < most) paths.add(included)
  }
}
