import type { ErrorDetail } from '../../src/contract/common.ts'
import { Failure, type FailureCode } from '../../src/contract/failure.ts'
import { linesOf, materialOf, type Material } from './material.ts'
import type { Answer, Model } from './model.ts'
import { unlink } from './links.ts'
import { pagePrompt, repairPrompt } from './page-prompt.ts'
import { bodyOf, checkBody, pageFile } from './page-text.ts'
import { fileOf, hrefOf, type PlacedPage } from './plan.ts'
import { textOf, type Project } from './project.ts'
import { sentenceOf, type PageCheck } from './site-check.ts'

/** What came of asking for a page. */
export type Outcome =
  | {
      readonly kind: 'written'
      readonly content: string
      readonly material: string
      readonly model: string
      /** What was wrong with it and was taken out. */
      readonly warnings: readonly string[]
    }
  | { readonly kind: 'failed'; readonly errors: readonly ErrorDetail[] }

/** Failures after which other pages may still be written. */
const ofPage: ReadonlySet<FailureCode> = new Set(['invalid_content', 'generation_rejected', 'request_too_large'])

/** Lines before the model's text in a page: its front matter. */
const shift = 5

interface Draft {
  readonly content: string
  /** Not to be lived with. */
  readonly errors: readonly ErrorDetail[]
  /** Comments that name no place in the sources; they are not in `content`. */
  readonly wrongNotes: readonly string[]
  /** Of the builder. */
  readonly warnings: readonly ErrorDetail[]
}

interface PageWriterOptions {
  readonly model: Model
  readonly project: Project
  readonly site: { readonly name: string; readonly pages: readonly PlacedPage[] }
  readonly check: PageCheck
}

/** Writes pages, each checked by the builder before it is anything. */
export class PageWriter {
  readonly #options: PageWriterOptions
  readonly #hrefs: ReadonlySet<string>

  constructor(options: PageWriterOptions) {
    this.#options = options
    this.#hrefs = new Set(options.site.pages.map(({ path }) => hrefOf(path)))
  }

  /** Asks for a page, once more when something is wrong with it. */
  async write(page: PlacedPage, onText: (tokens: number) => void): Promise<Outcome> {
    try {
      return await this.#write(page, onText)
    } catch (error) {
      // Of this page alone: what it would send, or what the model makes of it.
      const isOfPage = error instanceof Failure && ofPage.has(error.code)
      if (!isOfPage) throw error
      const message = [error.message, error.hint ?? ''].join(' ').trim()
      return { kind: 'failed', errors: [{ path: fileOf(page.path), message }] }
    }
  }

  async #write(page: PlacedPage, onText: (tokens: number) => void): Promise<Outcome> {
    const { model, project, site } = this.#options
    const material = await materialOf(page, project)
    const messages = pagePrompt(page, material, site)
    let answer = await model.ask('page', messages, onText)
    let draft = await this.#draft(page, material, answer)
    const problems = problemsOf(draft)
    if (problems.length > 0 && !answer.refused) {
      answer = await model.ask('page', repairPrompt(messages, answer.text, problems), onText)
      draft = await this.#draft(page, material, answer)
    }
    if (draft.errors.length > 0) return { kind: 'failed', errors: draft.errors }
    const { text, mended } = unlink(draft.content, draft.warnings, (href) => this.#hrefs.has(href))
    const warnings = [
      ...draft.wrongNotes.map((problem) => `${problem} It was taken out.`),
      ...(mended === 0 ? [] : [`${mended === 1 ? 'A link' : `${mended} links`} that led nowhere became plain words.`]),
    ]
    return { kind: 'written', content: text, material: material.hash, model: answer.model, warnings }
  }

  async #draft(page: PlacedPage, material: Material, answer: Answer): Promise<Draft> {
    const path = fileOf(page.path)
    const body = bodyOf(answer.text)
    const fail = (message: string): Draft => ({
      content: '',
      errors: [{ path, message }],
      wrongNotes: [],
      warnings: [],
    })
    if (answer.refused) return fail('The model would not write this page.')
    if (body === '') return fail('The answer is empty.')
    if (answer.cutOff) return fail('The answer was cut off at its longest: write a shorter page.')
    const lengths = new Map<string, number>()
    for (const { path: source } of material.files)
      lengths.set(source, linesOf(await textOf(this.#options.project, source)).length)
    const checked = checkBody(body, lengths)
    const content = pageFile(page, checked.body)
    const { errors, warnings } = await this.#options.check(page, content)
    return {
      content,
      errors: [...checked.problems.map((message) => ({ path, message })), ...errors],
      wrongNotes: checked.wrong,
      warnings,
    }
  }
}

function problemsOf({ errors, wrongNotes, warnings }: Draft): string[] {
  return [
    ...errors.map((error) => sentenceOf(error, shift)),
    ...wrongNotes,
    ...warnings.map((warning) => sentenceOf(warning, shift)),
  ]
}
