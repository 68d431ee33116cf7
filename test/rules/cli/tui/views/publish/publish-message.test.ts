import { expect, it } from 'vitest'
import type { Form } from '#cli/tui/app/dialogs.ts'
import type { UnsentMessage } from '#cli/tui/data/drafts/message.ts'
import { PublishMessage } from '#cli/tui/views/publish/publish-message.ts'
import { aBranch } from '#test/support/fake-workspace.ts'
import { fakeContext } from '#test/support/tui-context.ts'

/** A message of a publish, with what is kept of it, and somebody who types into its form. */
function begin(kept = '') {
  const context = fakeContext()
  const { app, workspace } = context
  const message: { text: string } & UnsentMessage = {
    kind: 'publish',
    text: kept,
    sent: undefined,
    trouble: undefined,
    notice: undefined,
    changed: (text) => void (message.text = text),
    flush: async () => undefined,
  }
  workspace.message = message
  const types = (text: string, values: { message: string } | undefined): void => {
    app.dialogs.ask = async (form: Form) => {
      form.fields[0]?.onChange?.(text)
      expect(message.text).toBe(text)
      return values
    }
  }
  return { types, message, publish: new PublishMessage(context, 'acme-docs', aBranch()) }
}

it('is kept while it is typed, and there again until it is published', async () => {
  const { types, message, publish } = begin()
  await publish.remember()
  types('Describe the A', { message: 'Describe the API' })
  await publish.ask()
  expect([publish.text, message.text]).toEqual(['Describe the API', 'Describe the API'])
  const next = begin(message.text)
  await next.publish.remember()
  expect(next.publish.text).toBe('Describe the API')
  next.publish.forget()
  expect([next.publish.text, next.message.text]).toEqual([undefined, ''])
})

it('is as it was when the form is left by Esc', async () => {
  const { types, message, publish } = begin('Describe the API')
  await publish.remember()
  types('Describe nothing', undefined)
  await publish.ask()
  expect([publish.text, message.text]).toEqual(['Describe the API', 'Describe the API'])
})

it('that was written before stands in the form, also where it is asked for before it was found', async () => {
  const { types, message, publish } = begin('Describe the API')
  types('Describe the API anew', undefined)
  await publish.ask()
  expect([publish.text, message.text]).toEqual(['Describe the API', 'Describe the API'])
})
