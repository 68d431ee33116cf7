/**
 * `npm run reference`: writes the pages of `docs/reference` that say what the code says: the endpoints, refusals, limits
 * and components. They are committed, so that `docs` is a whole site; a test compares them with the code.
 */

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { commandPages } from '#cli/reference/pages.ts'
import type { ComponentInfo, ComponentProperty } from '#contract/components.ts'
import { failureCodes } from '#contract/failure.ts'
import { limits } from '#contract/limits.ts'
import { rules } from '#contract/rules.ts'
import { root } from '#lib/paths.ts'
import { componentFacts } from '#site/components/facts.ts'
import { apiPages } from './api-pages.ts'
import { page, prose, sentence } from './page.ts'

function errorsPage(): string {
  const rows = Object.entries(failureCodes).map(
    ([code, { status, title, exit }]) => `| <span id="${code}">\`${code}\`</span> | ${status} | ${exit} | ${title} |`,
  )
  return page(
    {
      title: 'Errors',
      description: 'Every refusal is a problem document with a stable code.',
      icon: 'circle-alert',
    },
    [
      'Refusals are `application/problem+json` ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)). Programs decide by `code`, which never changes its meaning; people read `detail` and `hint`, and `path`, `line` and `column` of each of the `errors`. The command line ends with the exit code of the third column.',
      '',
      '```json',
      '{',
      '  "type": "about:blank",',
      '  "title": "A path is not allowed",',
      '  "status": 422,',
      '  "detail": "The path leaves the project.",',
      '  "code": "invalid_path",',
      '  "errors": [{ "pointer": "/files/3/path", "message": "`..` is not allowed in a path" }]',
      '}',
      '```',
      '',
      '| Code | Status | Exit code | When |',
      '| --- | --- | --- | --- |',
      ...rows,
    ],
  )
}

function rulesPage(): string {
  const rows = Object.entries(rules).map(
    ([name, { level, about, hint }]) =>
      `| <span id="${name}">\`${name}\`</span> | ${level} | ${prose(about)} | ${prose(hint)} |`,
  )
  return page(
    {
      title: 'Rules',
      description: 'What a deploy, a save and quire check look for, and what to do about it.',
      icon: 'list-checks',
    },
    [
      'A deploy, a preview and [`quire check`](/reference/commands/check) judge a site by these rules. An error keeps it from going live; a warning stops nothing, unless you ask for it with `--strict` or `--max-warnings`. Each finding has the `rule`, a `message` with file, line and column where they are known, and a `hint` what to do next: in the answers of the API, in SARIF, and as the title of annotations in GitHub. A name keeps its meaning.',
      '',
      '| Rule | Level | What is wrong | What to do |',
      '| --- | --- | --- | --- |',
      ...rows,
      '',
      'At most a hundred findings of one page are told, and a thousand of a site; the last one then says how many more there are.',
    ],
  )
}

const number = new Intl.NumberFormat('en-US')
const size = (bytes: number): string => (bytes < 2 ** 20 ? `${bytes / 1024} KB` : `${bytes / 2 ** 20} MB`)

const limitRows: readonly (readonly [what: string, limit: string])[] = [
  ['One request with files', size(limits.requestBytes)],
  ['Any other request', size(limits.bodyBytes)],
  ['One file', size(limits.fileBytes)],
  ['Source of one page, without pictures in its text', size(limits.pageBytes)],
  ['Files of a project', number.format(limits.files)],
  ['Folders of a project', number.format(limits.folders)],
  ['A path', `${number.format(limits.pathBytes)} bytes, ${limits.pathDepth} folders deep`],
  ['A name in a path', `${limits.pathSegmentBytes} bytes`],
  ['docs.json and what it includes', `${size(limits.configBytes)}, ${number.format(limits.configValues)} values`],
  ['Navigation and titles of a site, together', size(limits.shellBytes)],
  [
    'Redirects',
    `${number.format(limits.redirects)}, ${number.format(limits.redirectPatterns)} of them with parameters`,
  ],
  ['A message to the assistant', `${number.format(limits.assistantMessage)} characters`],
  ['A reader’s question', `${number.format(limits.question)} characters`],
  ['The pages of a site as one text, `llms-full.txt`', size(limits.llmsFullBytes)],
  ['Answers to readers of a site', `${number.format(limits.answersPerDay)} a day`],
  ['Messages of a request to a model', `${number.format(limits.promptMessages)}, ${size(limits.promptBytes)}`],
  [
    'JSON of a request',
    `${number.format(limits.jsonValues)} values, ${number.format(limits.jsonMembers)} in an item of a list, ${limits.jsonDepth} levels deep`,
  ],
]

function limitsPage(): string {
  return page({ title: 'Limits', description: 'What fits, and what does not.', icon: 'scaling' }, [
    'These are the same on every service. KB, MB and GB are units of 1,024, here as in settings, quotas and all that the service and its command line say. What a plan allows is under [Plans and usage](/guide/plans); how many requests a minute, under [Settings](/self-hosting/settings#requests-a-minute).',
    '',
    '| What | At most |',
    '| --- | --- |',
    ...limitRows.map(([what, limit]) => `| ${what} | ${limit} |`),
    '',
    'A site may be larger than one request: the command line sends content ahead in parts, and only content that the service does not have.',
  ])
}

function propertyRow({ name, type, choices, required, about }: ComponentProperty): string {
  const values = choices === undefined ? type : choices.map((choice) => `\`${choice}\``).join(', ')
  return `| \`${name}\`${required === true ? ' *' : ''} | ${values} | ${prose(about ?? '')} |`
}

function componentSection({ name, about, children, properties }: ComponentInfo): string[] {
  return [
    `## ${name}`,
    '',
    `${sentence(prose(about))} \`${children ? `<${name}>…</${name}>` : `<${name} />`}\``,
    '',
    ...(properties.length === 0
      ? []
      : ['| Property | Value | |', '| --- | --- | --- |', ...properties.map(propertyRow), '']),
  ]
}

function componentsPage(): string {
  return page(
    {
      title: 'All components',
      description: 'Every component that pages may use, with its properties.',
      icon: 'blocks',
    },
    [
      'No import is needed. A star marks a property without which the component says nothing. How they look is shown under [Components](/writing/components).',
      '',
      ...componentFacts.flatMap(componentSection),
    ],
  )
}

/** What the code says of itself for those who read it is what an operator needs of it, too. */
async function roomPage(file: string, front: Readonly<Record<string, string>>): Promise<string> {
  const [, text = ''] = /^# .*\n([\s\S]*)$/.exec(await readFile(join(root, file), 'utf8')) ?? []
  return page(front, [text.replaceAll(/^# /gm, '## ').trim()])
}

/** The commands of the command line, a page each, and what the navigation has of them. */
async function commandFiles(): Promise<[path: string, text: string][]> {
  const folder = 'reference/commands'
  const pages = await commandPages(`/${folder}`)
  const names = pages.map(({ name }) => `${folder}/${name}`)
  return [
    ...pages.map(({ name, title, description, body }): [string, string] => [
      `${folder}/${name}.mdx`,
      page({ title, description }, body),
    ]),
    [`${folder}/pages.json`, `${JSON.stringify(names, null, 2)}\n`],
  ]
}

/** The generated files by their path below `docs`. */
export async function referenceFiles(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ...apiPages(),
    ...(await commandFiles()),
    ['reference/errors.mdx', errorsPage()],
    ['reference/rules.mdx', rulesPage()],
    ['reference/limits.mdx', limitsPage()],
    ['reference/components.mdx', componentsPage()],
    [
      'self-hosting/metrics.mdx',
      await roomPage('src/http/metrics/README.md', {
        title: 'Metrics and traces',
        description: 'Every number that the service tells, and where its time goes.',
        icon: 'chart-line',
      }),
    ],
  ])
}

if (process.argv[1] !== undefined && /reference\.(?:js|ts)$/.test(process.argv[1])) {
  const folder = join(root, 'docs')
  const files = await referenceFiles()
  for (const generated of ['reference/api', 'reference/commands'])
    for (const name of await readdir(join(folder, generated)).catch(() => []))
      if (name !== 'index.mdx') await rm(join(folder, generated, name))
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}
