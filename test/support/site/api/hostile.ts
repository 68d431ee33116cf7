import { expect } from 'vitest'
import type { RenderPool } from '#site/page.ts'
import { type Files, TestProject } from '#test/support/site/support/project.ts'
import { recordingPool } from '#test/support/site/support/recording-pool.ts'
import { siteWith } from './pets.ts'

export const page = '/api-reference/send'
/** A description with one operation, which says this. */
export const one = (operation: object, others: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'T', version: '1' },
  paths: { '/x': { post: { summary: 'Send', responses: {}, ...operation } } },
  ...others,
})
export const sends = (schema: unknown) => ({ requestBody: { content: { 'application/json': { schema } } } })
export const schemas = (all: object) => ({ components: { schemas: all } })
export const toSchema = (name: string) => ({ $ref: `#/components/schemas/${name}` })
export const list = <Item>(length: number, make: (index: number) => Item): Item[] =>
  Array.from({ length }, (_, index) => make(index))
/** What a project becomes that has this description: YAML where it is a text. */
export async function builtBy(pool: RenderPool, description: unknown, others: Files = {}) {
  const project = new TestProject(recordingPool(pool))
  const isText = typeof description === 'string'
  const name = isText ? 'openapi.yaml' : 'openapi.json'
  const text = isText ? description : JSON.stringify(description)
  const site = siteWith({ groups: [{ group: 'API', openapi: name }] }, { [name]: text, ...others })
  const { errors, warnings } = await project.build(site)
  const said = [...errors, ...warnings].map(({ message }) => message)
  // Whatever it is, no child is lost.
  expect(said.join()).not.toMatch(/broke the renderer|was stopped/)
  const found = (JSON.parse(project.text(page) ?? '{"html":""}') as { html: string }).html
  return { errors: errors.map(({ message }) => message), said, html: found, project }
}
