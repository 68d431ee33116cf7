import { all, base } from '../client/browser.ts'
import type * as Runtime from './runtime.ts'

/*
 * Runs components of a page when they come into view. It stands on pages that have some; nothing else is loaded before.
 */

declare const quireIslandRuntime: string

type Component = Parameters<typeof Runtime.show>[1]

const [script] = all('script[data-islands]')
const sources = new Map(JSON.parse(script?.getAttribute('data-islands') ?? '[]') as readonly [string, string][])
const failed = script?.getAttribute('data-failed') ?? ''
const seen = new WeakSet<Element>()
/** Islands by what of them is looked at. */
const targets = new WeakMap<Element, HTMLElement>()

async function start(island: HTMLElement): Promise<void> {
  const runtime = (await import(/* @vite-ignore */ base + quireIslandRuntime)) as typeof Runtime
  try {
    const source = sources.get(island.getAttribute('data-quire-island') ?? '') ?? ''
    const module = (await import(/* @vite-ignore */ base + source)) as Readonly<Record<string, Component>>
    const component = module[island.getAttribute('data-quire-export') ?? '']
    if (component === undefined) throw new Error(`There is no such component in ${source}`)
    runtime.show(island, component, { props: island.getAttribute('data-quire-props') ?? '{}', failed })
  } catch (error) {
    console.error(error)
    runtime.fail(island, failed)
  }
}

const observer = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    const island = targets.get(target)
    if (!isIntersecting || island === undefined) continue
    observer.unobserve(target)
    start(island).catch(console.error)
  }
})

/** The first element with a box of its own: an island has none. */
function boxOf(island: HTMLElement): Element {
  for (const child of island.children) {
    if (child instanceof HTMLTemplateElement) continue
    if (child.matches('q-slot, q-island')) return boxOf(child as HTMLElement)
    return child
  }
  island.style.display = 'inline-block'
  return island
}

function look(): void {
  for (const island of all('[data-quire-island]')) {
    if (seen.has(island) || !sources.has(island.getAttribute('data-quire-island') ?? '')) continue
    seen.add(island)
    const target = boxOf(island)
    targets.set(target, island)
    observer.observe(target)
  }
}

look()
const [body] = all('body')
// Islands may stand in what another one shows later, and in what a preview puts into the page.
if (body !== undefined) new MutationObserver(look).observe(body, { childList: true, subtree: true })
