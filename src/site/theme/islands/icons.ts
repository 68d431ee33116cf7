import { drawings } from './runtime.ts'

/** Stands for `components/icons.ts` in browsers: icons that were found in the code and in properties when the site was built. */
export function icon(name: string, set = ''): string | undefined {
  const plain = name.trim().toLowerCase().replace(/^fa-/, '')
  return drawings.get(`${set}:${plain}`) ?? drawings.get(`:${plain}`)
}
