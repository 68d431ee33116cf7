import type { Node } from '../mdx/nodes.ts'
import { Examples, written } from './examples.ts'
import { FieldWriter, type Prose } from './fields.ts'
import type { ApiSettings } from './form.ts'
import { schemaOf, typeText, type Definitions } from './schema.ts'
import { code, component, element, words } from './tree.ts'
import { textOf } from './values.ts'

/** What stands on the page of a schema, which may refer to itself: what is said of it, its fields, and an example beside them. */
export async function schemaNodes(
  reference: string,
  definitions: Definitions,
  prose: Prose,
  settings: Pick<ApiSettings, 'pills' | 'expanded'>,
): Promise<readonly Node[]> {
  const schema = { $ref: reference }
  const known = schemaOf(schema, definitions)
  const description = textOf(known.value['description'])
  const writer = new FieldWriter(definitions, prose, settings)
  const fields = await writer.body(schema, 'response')
  const [example] = new Examples(definitions).ofMedia({ schema }, {})
  return [
    ...(description === undefined ? [] : await prose(description)),
    ...(example === undefined
      ? []
      : [
          component(
            'ResponseExample',
            { word: 'example', title: 'Example' },
            code('json', written(example[1]), textOf(known.value['title']) ?? 'JSON'),
          ),
        ]),
    ...(fields.length > 0 ? fields : [element('p', element('code', words(typeText(known, definitions))))]),
    ...(await writer.rest()),
  ]
}
