import { checkHref } from './href.ts'
import type { Problems } from './problems.ts'
import { show } from './schema.ts'

/** The checked href, or undefined after an error at the pointer. */
export function link(
  value: string,
  pointer: string,
  { problems }: { readonly problems: Problems },
): string | undefined {
  const checked = checkHref(value)
  if ('href' in checked) return checked.href
  problems.error(pointer, `The link ${show(value)} is refused: ${checked.refused}.`)
  return undefined
}
