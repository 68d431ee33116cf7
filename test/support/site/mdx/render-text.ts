import { PageRenderer } from '#site/mdx/page.ts'
import type { RenderedPage, RenderOutcome } from '#site/page.ts'

/** Renders one page of a project that has these other files. */
export async function outcomeOf(
  source: string,
  files: Readonly<Record<string, string>> = {},
  path = 'guide/page.mdx',
): Promise<RenderOutcome> {
  const renderer = new PageRenderer((wanted) => {
    const text = Object.hasOwn(files, wanted) ? files[wanted] : undefined
    return Promise.resolve(text === undefined ? null : { oid: `oid of ${wanted}`, source: Buffer.from(text) })
  })
  return renderer.render({ path, oid: 'oid', source: Buffer.from(source) })
}

export async function render(
  source: string,
  files: Readonly<Record<string, string>> = {},
  path?: string,
): Promise<RenderedPage> {
  const outcome = await outcomeOf(source, files, path)
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.errors, null, 2))
  return outcome.page
}

export async function html(source: string, files?: Readonly<Record<string, string>>, path?: string): Promise<string> {
  return (await render(source, files, path)).artifact.html
}

/** The messages of a page that does not build. */
export async function errors(
  source: string,
  files?: Readonly<Record<string, string>>,
  path?: string,
): Promise<readonly string[]> {
  const outcome = await outcomeOf(source, files, path)
  if (outcome.ok) throw new Error(`The page builds: ${outcome.page.artifact.html}`)
  return outcome.errors.map((error) => `${error.path}:${error.line}:${error.column} ${error.message}`)
}
