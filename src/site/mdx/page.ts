import { htmlFor } from '../components/blocks.tsx'
import type { Rendered } from '../components/component.tsx'
import { icon, preferIcons } from '../components/icons.ts'
import { methodOf } from '../api/page.ts'
import { escapeHtml } from '../../lib/html.ts'
import { wholly } from '../../lib/slices.ts'
import { markdownOf } from '../markdown/markdown.ts'
import type { LoadFile, PageArtifact, PageSummary, RenderedPage, RenderJob, RenderOutcome } from '../page.ts'
import { CodeBlocks } from './code-blocks.ts'
import type { FrontMatter } from './frontmatter.ts'
import { Graph, type ModuleNode } from './graph.ts'
import { idOf, mintlifySlug } from './anchors.ts'
import { inDocumentOrder, stepped } from './headings.ts'
import { htmlBytes, PageState } from './page-state.ts'
import { BudgetExceeded } from './interpreter/values.ts'
import { plainText, type Node } from './nodes.ts'
import { htmlOf } from './elements.ts'
import { detailAt, PageProblem } from './problem.ts'
import { Renderer } from './render.ts'
import { utilityStyles } from './utility-classes.ts'

/** Of a page, the first of them: their feed has fewer. */
const maxUpdates = 500

/** Renders the pages of one build, one after the other. */
export class PageRenderer {
  readonly #graph: Graph

  constructor(load: LoadFile) {
    this.#graph = new Graph(load)
  }

  /** Never throws for what the page holds. */
  async render(job: RenderJob): Promise<RenderOutcome> {
    try {
      const node = await this.#graph.page(job.path, job.oid, job.source)
      preferIcons(job.icons)
      const blocks = new CodeBlocks()
      const page = renderNode(node, job.base, blocks)
      return { ok: true, page: await styled((await blocks.colour()) ? renderNode(node, job.base, blocks) : page) }
    } catch (error) {
      if (error instanceof PageProblem) return { ok: false, errors: error.details }
      if (error instanceof RangeError && error.message.includes('call stack')) {
        return {
          ok: false,
          errors: [{ path: job.path, rule: 'page-limit', message: 'The page nests too deep to be rendered.' }],
        }
      }
      throw error
    }
  }
}

/** With the rules of utility classes that it names. */
async function styled(page: RenderedPage): Promise<RenderedPage> {
  const utilities = await utilityStyles(page.artifact.html, page.islands ?? [])
  if (utilities === undefined) return page
  return { ...page, artifact: { ...page.artifact, styles: utilities + (page.artifact.styles ?? '') } }
}

function renderNode(node: ModuleNode, base: string | undefined, blocks: CodeBlocks): RenderedPage {
  const state = new PageState(node.module.path, base, blocks)
  for (const warning of node.warnings) state.note(warning)
  try {
    return finish(node, state)
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error
    const place = error.place ?? { path: node.module.path, line: 1, column: 1 }
    throw new PageProblem(
      place.path === node.module.path
        ? detailAt(place, 'page-limit', error.message, node.module.text)
        : { ...place, rule: 'page-limit', message: error.message },
    )
  }
}

function finish(node: ModuleNode, state: PageState): RenderedPage {
  const { module } = node
  const { title, rest } = takeTitle(node, state)
  const renderer = new Renderer(node, state)
  const { html: whole, sources } = renderer.islands.finish(withAside(renderer.body(rest), state))
  const html = state.anchors.write(htmlFor('humans', whole).trim())
  const bytes = Buffer.byteLength(html)
  if (bytes > htmlBytes) {
    const message = `The page becomes ${(bytes / 1024 / 1024).toFixed(1)} MB of HTML; at most ${htmlBytes / 1024 / 1024} MB are allowed. Split it into several pages.`
    throw new PageProblem({ path: module.path, rule: 'page-limit', message })
  }
  const name = module.frontMatter.title ?? title ?? titleOfPath(module.path)
  const artifact = artifactOf(name, html, module.frontMatter, state)
  return {
    artifact,
    summary: summaryOf(name, module, state, artifact.updates !== undefined),
    markdown: wholly(markdownOf(htmlFor('agents', whole))),
    dependencies: [...node.dependencies].sort(([a], [b]) => (a < b ? -1 : 1)),
    ...(sources.length === 0 ? {} : { islands: sources }),
    ...(state.refused.length === 0 ? {} : { refused: state.refused }),
  }
}

const asides = new Set(['RequestExample', 'ResponseExample'])

/**
 * HTML of a page whose examples stand together: beside the text where there is room, else where the first of them stands.
 * Examples within something stay there.
 */
function withAside(parts: readonly Rendered[], state: PageState): string {
  const isAside = ({ component }: Rendered): boolean => component !== undefined && asides.has(component)
  const first = parts.findIndex(isAside)
  if (first === -1) return htmlOf(parts)
  state.features.add('api')
  state.features.add('aside')
  const text = (some: readonly Rendered[]): string =>
    `<div class="q-part">${htmlOf(some.filter((part) => !isAside(part)))}</div>`
  return `${text(parts.slice(0, first))}<div class="q-aside">${htmlOf(parts.filter(isAside))}</div>${text(parts.slice(first))}`
}

/** The first `# Heading` names a page that has no title of its own; one that repeats the title is not shown twice. */
function takeTitle(node: ModuleNode, state: PageState): { title?: string; rest: readonly Node[] } {
  const { frontMatter, tree } = node.module
  const nodes = tree.children
  const heading = nodes.find((child) => child.type === 'element' && child.tagName === 'h1')
  if (heading?.type !== 'element') return { rest: nodes }
  const first = nodes.find((child) => child.type !== 'text' && child.type !== 'mdxjsEsm' && child.type !== 'comment')
  if (frontMatter.title !== undefined && heading !== first) return { rest: nodes }
  // Rendered aside: a heading that stays is rendered with the others.
  const aside = new PageState(state.path, state.base)
  const renderer = new Renderer(node, aside)
  const text = plainText(htmlOf(renderer.body(heading.children)))
  if (text === '' || renderer.islands.size > 0 || aside.refused.length > 0) return { rest: nodes }
  if (frontMatter.title !== undefined && normal(text) !== normal(frontMatter.title)) return { rest: nodes }
  // Links to the section of the title lead to the top of the page.
  const id = heading.properties['id']
  for (const name of typeof id === 'string' ? [id] : [idOf(text), mintlifySlug(text)]) state.anchors.claim(name)
  return { title: text, rest: nodes.filter((child) => child !== heading) }
}

function normal(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[\s`*_]+/g, ' ')
    .trim()
}

/** `guides/getting-started.mdx` → `Getting started`; an index page is named after its folder. */
function titleOfPath(path: string): string {
  const segments = path.replace(/\.mdx?$/i, '').split('/')
  if (/^(?:index|readme)$/i.test(segments.at(-1) ?? '')) segments.pop()
  const words = (segments.at(-1) ?? 'home').replaceAll(/[-_\s]+/g, ' ').trim()
  return words === '' ? 'Home' : words.charAt(0).toUpperCase() + words.slice(1)
}

function artifactOf(title: string, html: string, frontMatter: FrontMatter, state: PageState): PageArtifact {
  const { description, mode, keywords, metatags, noindex, deprecated } = frontMatter
  const { boost, canonical, timestamp, alone, actions } = frontMatter
  // What a component leaves out is no part of the page.
  const updates = state.updates.slice(0, maxUpdates).filter(({ id }) => html.includes(` id="${escapeHtml(id)}"`))
  return {
    title,
    ...(description === undefined ? {} : { description }),
    html: stepped(html),
    headings: inDocumentOrder(state.headings, html),
    ...(mode === undefined ? {} : { mode }),
    ...(keywords === undefined ? {} : { keywords }),
    ...(metatags === undefined ? {} : { metatags }),
    ...(noindex === undefined ? {} : { noindex }),
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(boost === undefined ? {} : { boost }),
    ...(canonical === undefined ? {} : { canonical }),
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(alone === true ? { alone } : {}),
    ...(actions === undefined ? {} : { actions: [...actions] }),
    ...(state.servers.size === 0 ? {} : { servers: [...state.servers] }),
    features: [...state.features].sort(),
    ...(state.styles === '' ? {} : { styles: state.styles }),
    ...(updates.length === 0 ? {} : { updates }),
    ...(frontMatter.rss === true && updates.length > 0 ? { rss: true } : {}),
  }
}

function summaryOf(
  title: string,
  { frontMatter, text }: ModuleNode['module'],
  state: PageState,
  hasUpdates: boolean,
): PageSummary {
  const { sidebarTitle, description, tag, hidden, noindex, deprecated, url } = frontMatter
  const { searchable, unmarked, written } = frontMatter
  const method = unmarked === true ? undefined : methodOf(frontMatter)
  const picture = pictureOf(frontMatter, state, text)
  const { anchors, links, warnings } = state
  return {
    title,
    ...(sidebarTitle === undefined ? {} : { sidebarTitle }),
    ...(description === undefined ? {} : { description }),
    ...(picture === undefined ? {} : { icon: picture }),
    ...(tag === undefined ? {} : { tag }),
    ...(hidden === undefined ? {} : { hidden }),
    ...(noindex === undefined ? {} : { noindex }),
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(searchable === false ? { unsearched: true } : {}),
    ...(written === undefined ? {} : { written }),
    ...(url === undefined ? {} : { url }),
    ...(method === undefined ? {} : { method }),
    ...(hasUpdates ? { updates: true } : {}),
    anchors: [...anchors.targets],
    links,
    warnings,
  }
}

/** The icon of a page beside its name: of an icon set, or a picture by its path or address. */
function pictureOf({ icon: name, iconType }: FrontMatter, state: PageState, text: string): string | undefined {
  if (name === undefined) return undefined
  const before = text.slice(0, Math.max(0, text.search(/^icon[ \t]*:/m)))
  const place = { path: state.path, line: before.split('\n').length, column: 1 }
  if (/[./:]/.test(name)) {
    const src = state.url(name, 'asset', place)
    return src === undefined ? undefined : `<img class="q-icon" src="${escapeHtml(src)}" alt="">`
  }
  const found = icon(name, iconType)
  if (found === undefined) state.warn('icon-unknown', place, `There is no icon named “${name.slice(0, 60)}”`)
  return found
}
