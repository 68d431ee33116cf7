import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isUtf8 } from 'node:buffer'
import { blobOid } from '#contract/blob-oid.ts'
import { Failure } from '#contract/failure.ts'

export interface SampleFile {
  readonly path: string
  readonly oid: string
  readonly bytes: Buffer
  /** Undefined: not text. */
  readonly text: string | undefined
}

/** By path. */
export type SampleTree = ReadonlyMap<string, SampleFile>

/** What the sample’s branch changed: something to look at in lists and comparisons. */
const rewritten = [
  {
    path: 'quickstart.mdx',
    from: 'Both commands below run from your own machine; the service does the rest.',
    to: 'Both commands below run on your own computer. The service does the rest, and tells you when the site is live.',
  },
  {
    path: 'writing/math.mdx',
    from: 'Prices need no care:',
    to: 'Prices need no care, because a dollar sign before a number is no formula:',
  },
]
const added = {
  path: 'writing/first-page.mdx',
  text: `---
title: Your first page
description: What a page is made of, in two minutes.
icon: feather
---

A page is a file of text. Its name becomes its address: \`writing/first-page.mdx\` is found at \`/writing/first-page\`.

## Words first

Write as you would in a letter. A line with \`##\` before it is a heading, **two stars** make words bold, and an empty
line begins a paragraph.

<Tip>Everything on this branch was written in this terminal.</Tip>

## Then the rest

- [Markdown](/writing/markdown) has lists, tables and links.
- [Components](/components/overview) have cards, steps and callouts.
- [Images](/writing/images) are files beside your pages.
`,
}

/** Main of the sample project, and its branch. @throws Failure unavailable where the program was built without it */
export async function readSample(): Promise<{ readonly main: SampleTree; readonly branch: SampleTree }> {
  const folder = sampleFolder()
  const main = new Map<string, SampleFile>()
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const path = relative(folder, file).split(sep).join('/')
    main.set(path, fileOf(path, await readFile(file)))
  }
  const branch = new Map(main)
  for (const { path, from, to } of rewritten) {
    const text = main.get(path)?.text
    if (text !== undefined) branch.set(path, fileOf(path, Buffer.from(text.replace(from, to))))
  }
  branch.set(added.path, fileOf(added.path, Buffer.from(added.text)))
  return { main: sorted(main), branch: sorted(branch) }
}

function fileOf(path: string, bytes: Buffer): SampleFile {
  return {
    path,
    oid: blobOid(bytes),
    bytes,
    text: isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : undefined,
  }
}

function sorted(tree: SampleTree): SampleTree {
  return new Map([...tree].toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** Beside the built program, in a folder of whose chunks this code may be; or where it is built from. */
function sampleFolder(): string {
  const places = ['./sample', '../sample', '../../../../fixtures/sample']
  const folders = places.map((place) => fileURLToPath(new URL(place, import.meta.url)))
  const folder = folders.find((place) => existsSync(join(place, 'docs.json')))
  if (folder !== undefined) return folder
  throw new Failure('unavailable', 'The sample project is not beside this program.', {
    hint: 'Install Quire again, or build it: npm run build.',
  })
}
