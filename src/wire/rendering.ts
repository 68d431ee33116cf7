import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { createSiteBuilder } from '../site/build/build.ts'
import { copyingAgent } from '../site/build/fonts.ts'
import type { SiteBuilder } from '../site/builder.ts'
import { icon } from '../site/components/icons.ts'
import { IslandBundler } from '../site/islands/bundler.ts'
import { lacksOf, protections, requireIsolation } from '../site/render/isolation.ts'
import { openRenderPool } from '../site/render/pool.ts'
import { createOnePageRenderer, type OnePageRenderer } from '../site/one-page.ts'
import type { RenderPool } from '../site/page.ts'
import { createTextRenderer, type TextRenderer } from '../site/text.ts'
import { loadTheme } from '../site/theme/assets.ts'
import { createFetcher } from '../webhooks/fetcher.ts'
import type { Closers } from './closers.ts'
import { guardOf } from './webhooks.ts'

interface RenderingParts {
  /** What a test puts in the place of the real thing. */
  readonly builder?: SiteBuilder
  readonly renderPool?: RenderPool
  readonly texts?: TextRenderer
  readonly pages?: OnePageRenderer
  readonly logger: Logger
  readonly ownerOf: (projectId: string) => string
}

/** What turns text into HTML: whole sites, pages by themselves, and texts that are no pages. Render children end when the builder is closed. */
export function openRendering(config: Config, parts: RenderingParts, closers: Closers) {
  const { builder, texts = noTexts, pages = noPages } = parts
  const children = (): number => 0
  const opening =
    builder === undefined ? startRendering(config, parts) : Promise.resolve({ builder, texts, pages, children })
  closers.addReader(() =>
    opening.then(
      (opened) => opened.builder.close(),
      () => undefined,
    ),
  )
  return opening
}

/** What builds sites, for an operator where no service runs. */
export async function startBuilder(config: Config, logger: Logger): Promise<SiteBuilder> {
  // Nobody else builds here: each project stands for its owner.
  return (await startRendering(config, { logger, ownerOf: (projectId) => projectId })).builder
}

async function startRendering(
  config: Config,
  { logger, ownerOf, renderPool }: Pick<RenderingParts, 'logger' | 'ownerOf' | 'renderPool'>,
) {
  const { renderChildren, buildSeconds, allowWeakIsolation } = config
  const pool =
    renderPool ??
    (await openRenderPool({
      ...(renderChildren === undefined ? {} : { children: renderChildren }),
      buildMs: buildSeconds * 1000,
      ownerOf,
      log: ({ message, ...event }) => logger.warn(event, message),
    }))
  try {
    requireIsolation(pool.isolation, allowWeakIsolation)
  } catch (error) {
    await pool.close()
    throw error
  }
  const { level, holds } = pool.isolation
  const details = { isolation: level, protections: holds.map((name) => protections[name]) }
  if (level === 'strong') logger.info(details, 'render children are isolated')
  else logger.warn({ ...details, lacks: lacksOf(holds) }, 'render children are isolated weakly, as settings allow')
  const theme = loadTheme()
  const bundler = new IslandBundler({ ...theme.islands, ownerOf })
  const fetch = createFetcher({ guard: guardOf(config), userAgent: copyingAgent })
  const builder: SiteBuilder = createSiteBuilder({ pool, bundler, theme, icon, fetch, ownerOf })
  const children = (): number => pool.children
  return { builder, texts: createTextRenderer(pool), pages: createOnePageRenderer(pool), children }
}

/** In the place of the renderer where a test brings a builder of its own and shows no texts. */
const noTexts: TextRenderer = {
  fingerprint: 'none',
  render: () => Promise.reject(new Error('there is no renderer for texts')),
}

/** As `noTexts`, of pages by themselves. */
const noPages: OnePageRenderer = {
  render: () => Promise.reject(new Error('there is no renderer for pages by themselves')),
}
