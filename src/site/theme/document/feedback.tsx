/** @jsxImportSource #html */
import { analyticsLimits } from '#contract/analytics.ts'
import { readerPaths } from '#contract/reader-paths.ts'
import type { DocumentContext } from '#contract/release.ts'
import type { Html } from '#lib/html.ts'
import { encodePath } from '#lib/url-path.ts'
import type { Shell } from '../../shell.ts'
import { feedbackWords } from '../words/feedback.ts'
import { wordsIn } from '../words/words.ts'
import { safeHref } from './link.tsx'

/**
 * Asks whether the page was helpful: a form that works by itself, with its style and script, on sites that ask. Undefined
 * on others, on previews, and on what is no page of the release.
 */
export function renderFeedback({
  shell,
  path,
  lang,
  context: { source, preview },
}: {
  readonly shell: Shell
  readonly path: string
  readonly lang: string
  readonly context: DocumentContext
}): Html | undefined {
  const { feedback: script, 'feedback-style': style } = shell.assets.features
  const isAsked = shell.feedback === true && source !== undefined && preview === undefined
  if (!isAsked || script === undefined || style === undefined) return undefined
  const words = wordsIn(feedbackWords, lang)
  return (
    <>
      <link rel="stylesheet" href={safeHref(style)} />
      <form class="q-feedback" method="post" action={readerPaths.feedback} data-failed={words.failed}>
        <input type="hidden" name="path" value={encodePath(path)} />
        <div class="q-feedback-row" role="group" aria-labelledby="q-feedback-question">
          <p id="q-feedback-question">{words.question}</p>
          <button class="q-feedback-answer" name="helpful" value="yes">
            {words.yes}
          </button>
          <button class="q-feedback-answer" name="helpful" value="no">
            {words.no}
          </button>
        </div>
        <div class="q-feedback-note">
          <label for="q-feedback-note">{words.note}</label>
          <textarea id="q-feedback-note" name="note" rows="3" maxlength={String(analyticsLimits.note)} />
          <button class="q-feedback-send" type="button">
            {words.send}
          </button>
        </div>
        <p class="q-feedback-status" role="status" data-thanks={words.thanks} />
        <p class="q-feedback-thanks" id="q-thanks">
          {words.thanks}
        </p>
      </form>
      <script type="module" src={safeHref(script)} />
    </>
  )
}
