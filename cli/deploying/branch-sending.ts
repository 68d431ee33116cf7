import { setTimeout as sleep } from 'node:timers/promises'
import type { Branch } from '../../src/contract/branches.ts'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { LocalFile } from './files.ts'
import { keepComment, markerOf } from './github-comment.ts'
import { count, locationOf, type Output } from '../output.ts'
import { figuresOf, notice, tellVerdict } from './progress.ts'
import type { OpenProject } from '../service/project.ts'
import { withRetry } from '../service/retry.ts'
import { findDestination, sendContents } from './sending.ts'

export interface BranchWish {
  /** Of the branch. */
  readonly name: string
  readonly directory: string
  readonly files: readonly LocalFile[]
  readonly message?: string | undefined
  readonly strict?: boolean | undefined
  /** What others saved on the branch is replaced. */
  readonly take?: boolean | undefined
}

/** Makes a folder a branch, and waits for its preview; tells the pull request that it is for. Answers with the exit code. */
export async function sendBranch(url: string, wish: BranchWish, output: Output): Promise<number> {
  try {
    const { branch, slug } = await send(url, wish, output)
    const code = await tell(branch, wish, output)
    await keepComment(markerOf({ url, slug, branch: branch.name }), commentOf(branch), output)
    return code
  } catch (error) {
    if (error instanceof Failure && output.environment.github !== undefined)
      await comment(url, wish.name, error, output)
    throw error
  }
}

async function send(
  url: string,
  { name, files, message, take }: BranchWish,
  output: Output,
): Promise<{ readonly branch: Branch; readonly slug: string }> {
  let expectedHead: string | undefined
  for (;;) {
    try {
      const { answer, destination } = await sendContents(
        url,
        {
          files,
          post: ({ client, slug, policy }, body) => {
            const request = {
              query: { project: slug },
              body: {
                branch: name,
                files: body,
                ...(message === undefined ? {} : { message }),
                ...(expectedHead === undefined ? {} : { expectedHead }),
              },
            }
            return withRetry(() => client.call(contract.previews.create, request), policy)
          },
        },
        output,
      )
      return { branch: await builtPreview(destination, answer, output), slug: destination.slug }
    } catch (error) {
      const head = headOf(error)
      if (head === undefined) throw error
      // Once: who saves in this very moment is not run over.
      if (take !== true || expectedHead !== undefined) throw explainEdited(error as Failure, name)
      expectedHead = head
    }
  }
}

/** The head of a branch that others have changed; undefined for all other refusals. */
function headOf(error: unknown): string | undefined {
  if (!(error instanceof Failure) || error.code !== 'branch_edited') return undefined
  const { head } = error.extra
  return typeof head === 'string' ? head : undefined
}

function explainEdited(error: Failure, name: string): Failure {
  return new Failure(error.code, error.message, {
    hint: `quire branch diff ${name} shows it: take it over into your files, and it goes through; or give it up with --take.`,
    errors: error.errors,
    extra: error.extra,
    cause: error,
  })
}

async function tell(branch: Branch, { directory, strict }: BranchWish, output: Output): Promise<number> {
  const { name, preview, previewUrl } = branch
  const isBroken = preview.status === 'failed'
  const failed = isBroken || (strict === true && preview.counts.warnings > 0)
  const what = isBroken ? count(preview.counts.errors, 'error') : count(preview.counts.warnings, 'warning')
  const title = failed ? `Quire: the preview of ${name} has ${what}` : `Quire: preview of ${name} at ${previewUrl}`
  await tellVerdict(preview, { directory, title }, output)
  if (failed) {
    const shows = isBroken ? 'its preview shows what was before, if anything was' : `its preview is at ${previewUrl}`
    return output.fail(
      new Failure('build_failed', `The branch ${name} has ${what}; ${shows}.`, {
        errors: isBroken ? preview.errors : preview.warnings,
        hint: 'Mend these places and send it again.',
        extra: { branch },
      }),
    )
  }
  if (output.environment.githubActions) output.annotate(notice(`Preview of ${name}: ${previewUrl}`))
  output.note(output.paint('dim', figuresOf(preview)))
  output.result(branch, previewUrl)
  return exitCodes.ok
}

const listedDetails = 20

/** Markdown. What comes from the files stands as code, where nobody is mentioned and nothing is a link. */
function commentOf({ preview, previewUrl, head }: Branch): string {
  const failed = preview.status === 'failed'
  const details = [...preview.errors, ...preview.warnings].slice(0, listedDetails)
  const lines = details.map((detail) => `${locationOf(detail)}  ${detail.message.replaceAll('\n', ' ')}`)
  const all = preview.counts.errors + preview.counts.warnings
  const more = all > lines.length ? [`… and ${all - lines.length} more`] : []
  return [
    failed ? '### The documentation does not build' : '### Preview of the documentation',
    '',
    failed
      ? `**${count(preview.counts.errors, 'error')}**; ${previewUrl} shows what was before, if anything was.`
      : previewUrl,
    '',
    `Commit ${head.slice(0, 12)} · ${figuresOf(preview)}`,
    ...(lines.length === 0 ? [] : ['', fenced([...lines, ...more].join('\n'))]),
  ].join('\n')
}

function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${text}\n${fence}`
}

/** Tells a pull request why it has no preview of what it is now. */
async function comment(url: string, branch: string, failure: Failure, output: Output): Promise<void> {
  const destination = await findDestination(url, output).catch(() => undefined)
  if (destination === undefined) return
  const text = ['### No preview of the documentation', '', fenced(failure.message)].join('\n')
  await keepComment(markerOf({ url, slug: destination.slug, branch }), text, output)
}

/** `quire preview close <name>`: that it is gone already is as good. */
export async function closeBranch(
  url: string,
  { name, take }: Pick<BranchWish, 'name' | 'take'>,
  output: Output,
): Promise<number> {
  const { client, slug } = await findDestination(url, output)
  const remove = (expectedHead?: string): Promise<unknown> =>
    client.call(contract.previews.remove, {
      query: { project: slug, branch: name, ...(expectedHead === undefined ? {} : { expectedHead }) },
    })
  let closed = true
  try {
    await remove()
  } catch (error) {
    const head = headOf(error)
    if (head !== undefined && take !== true) throw explainEdited(error as Failure, name)
    if (head !== undefined) await remove(head)
    else if (error instanceof Failure && error.code === 'not_found') closed = false
    else throw error
  }
  const text = closed ? `closed the preview of ${name}` : `${slug} has no branch ${name}: there is nothing to close.`
  if (closed)
    await keepComment(markerOf({ url, slug, branch: name }), 'The preview of the documentation was closed.', output, {
      onlyUpdate: true,
    })
  output.result({ branch: name, closed }, text)
  return exitCodes.ok
}

/** A queue of builds can be long; a build that never ends must not hold the command forever. */
const patienceMs = 10 * 60_000

/** Waits until the newest save of a branch is built, or does not build. @throws Failure unavailable after `longestMs`. */
export async function builtPreview(
  { client, slug, policy }: Pick<OpenProject, 'client' | 'slug' | 'policy'>,
  { id, name }: Pick<Branch, 'id' | 'name'>,
  output: Output,
  longestMs: number = patienceMs,
): Promise<Branch> {
  const until = performance.now() + longestMs
  for (;;) {
    const branch = await withRetry(() => client.call(contract.branches.read, { params: { slug, id } }), policy)
    const { preview, head } = branch
    const isUnderWay = preview.status === 'queued' || preview.status === 'building'
    if (!isUnderWay && (preview.commit === head || preview.served === head)) return branch
    if (performance.now() >= until)
      throw new Failure('unavailable', `The pages are on ${name}; its preview is not built yet.`, {
        hint: `quire preview ${name} shows it later.`,
      })
    output.redraw('building the preview')
    await sleep(300)
  }
}
