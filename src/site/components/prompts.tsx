/** @jsxImportSource #html */
import { wholly } from '../../lib/slices.ts'
import { markdownOf } from '../markdown/markdown.ts'
import { type Component, inner, picture, texts } from './component.tsx'
import { inlineMarkdown } from './inline-markdown.tsx'

/** What a prompt offers beside its words. */
const promptActions = ['copy', 'cursor'] as const
/** Longer ones Cursor does not take from a link. */
const longestLink = 8_000

/** `<Prompt description icon actions={['copy', 'cursor']}>`: words for a model, to copy as Markdown or to open in an editor. */
const prompt: Component = (props, children, context) => {
  context.feature('extras')
  const words = wholly(markdownOf(inner(children).html)).trim()
  const description = inlineMarkdown(props, 'description', context)
  const wanted = props.has('actions') ? texts(props, 'actions') : ['copy']
  const [hasCopy, hasCursor] = promptActions.map((action) => wanted.includes(action))
  for (const action of wanted.filter((name) => !(promptActions as readonly string[]).includes(name)))
    context.warn(
      'component-value',
      `\`<Prompt>\` has no action \`${action.slice(0, 60)}\`: it has ${promptActions.join(' and ')}.`,
    )
  const link = `https://cursor.com/link/prompt?text=${encodeURIComponent(words)}`
  return (
    <div class="q-prompt">
      {picture(props, context, 'sparkles')}
      {description && <div class="q-prompt-about">{description}</div>}
      <div class="q-prompt-actions">
        {hasCopy && (
          <button
            class="q-prompt-action q-prompt-copy"
            type="button"
            data-copy
            data-word="copyPrompt"
            aria-label="Copy prompt"
          >
            <span data-word="copyPrompt">Copy prompt</span>
          </button>
        )}
        {hasCursor && link.length <= longestLink && (
          <a class="q-prompt-action" href={link} data-word="openIn:Cursor">
            Open in Cursor
          </a>
        )}
      </div>
      <details class="q-prompt-words">
        <summary data-word="prompt">Prompt</summary>
        <pre>{words}</pre>
      </details>
    </div>
  )
}

export const prompts: Readonly<Record<string, Component>> = { Prompt: prompt }
