import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { createSiteBuilder } from '../site/build/build.ts'
import type { SiteBuilder } from '../site/builder.ts'
import { icon } from '../site/components/icons.ts'
import { openRenderPool } from '../site/render/pool.ts'
import { createTextRenderer, type TextRenderer } from '../site/text.ts'
import { loadTheme } from '../site/theme/assets.ts'

/** What turns text into HTML: whole sites, and texts that are no pages. */
export interface Rendering {
  readonly builder: SiteBuilder
  readonly texts: TextRenderer
}

/** Starts the render children. They end when the builder is closed. */
export async function openRendering({ renderChildren }: Config, logger: Logger): Promise<Rendering> {
  const pool = await openRenderPool({
    ...(renderChildren === undefined ? {} : { children: renderChildren }),
    log: ({ message, ...event }) => logger.warn(event, message),
  })
  return { builder: createSiteBuilder({ pool, theme: loadTheme(), icon }), texts: createTextRenderer(pool) }
}

/** In the place of the renderer where a test brings a builder of its own and shows no texts. */
export const noTexts: TextRenderer = {
  fingerprint: 'none',
  render: () => Promise.reject(new Error('there is no renderer for texts')),
}
