import type { RenderOutcome, RenderPool } from '#site/page.ts'

export const nothing = (): Promise<null> => Promise.resolve(null)

/** Renders pages of a project in one build. */
export async function renderAll(
  pool: RenderPool,
  pages: Readonly<Record<string, string | Buffer>>,
  project: string,
): Promise<Record<string, RenderOutcome>> {
  const session = pool.open(project, nothing)
  try {
    const entries = Object.entries(pages).map(async ([path, text]) => {
      return [path, await session.render({ path, oid: 'oid', source: Buffer.from(text) })] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  } finally {
    session.close()
  }
}

/** The HTML of a page, or what is wrong with it. */
export function textOf(outcome: RenderOutcome | undefined): string {
  if (outcome === undefined) return 'nothing'
  return outcome.ok
    ? outcome.page.artifact.html
    : outcome.errors.map((error) => `${error.path}: ${error.message}`).join('\n')
}
