import type { Framework } from '#contract/frameworks.ts'
import type { FoundSite, Reading } from '../site.ts'
import { readDocusaurus } from './docusaurus.ts'
import { readGitbook } from './gitbook.ts'
import { readMarkdown } from './markdown.ts'
import { readMdbook } from './mdbook.ts'
import { readMkdocs } from './mkdocs.ts'
import { readNextra } from './nextra.ts'
import { readStarlight } from './starlight.ts'
import { readVitepress } from './vitepress.ts'

/** By framework: what reads a project of it. */
export const readers: Readonly<Record<Framework | 'plain', (reading: Reading) => FoundSite>> = {
  docusaurus: readDocusaurus,
  vitepress: readVitepress,
  starlight: readStarlight,
  mkdocs: readMkdocs,
  gitbook: readGitbook,
  mdbook: readMdbook,
  nextra: readNextra,
  plain: readMarkdown,
}
