import { Type, type Static } from 'typebox'
import { endpoint } from './endpoint.ts'

/** A property as authors write it; most take text in quotes as well as an expression. */
export const ComponentProperty = Type.Object({
  name: Type.String({ examples: ['title'] }),
  type: Type.Union(
    [
      Type.Literal('text'),
      Type.Literal('number'),
      Type.Literal('boolean'),
      Type.Literal('choice'),
      Type.Literal('code'),
    ],
    { description: '`choice`: one of `choices`; `code`: an expression in braces, such as a list' },
  ),
  choices: Type.Optional(Type.Array(Type.String())),
  required: Type.Optional(Type.Literal(true, { description: 'Without it the component says nothing' })),
  about: Type.Optional(Type.String({ description: 'In a line of plain text' })),
})
export type ComponentProperty = Static<typeof ComponentProperty>

/** A component that pages may use. */
export const ComponentInfo = Type.Object({
  name: Type.String({ examples: ['Card', 'Tree.File'] }),
  about: Type.String({ description: 'In a line of plain text' }),
  children: Type.Boolean({ description: 'It holds content: `<Note>…</Note>`; else `<Icon />`' }),
  properties: Type.Array(ComponentProperty),
})
export type ComponentInfo = Static<typeof ComponentInfo>

export const components = {
  list: endpoint({
    method: 'GET',
    path: '/api/components',
    summary: 'List the components that pages may use',
    description: 'The same for everybody; another one only with another version of the service. Has an `ETag`.',
    access: 'public',
    reply: Type.Object({ items: Type.Array(ComponentInfo) }),
    status: 200,
  }),
}
