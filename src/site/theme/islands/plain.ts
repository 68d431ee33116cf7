import { type ComponentChildren, h } from 'preact'

/*
 * Components of the theme inside of those that run in the browser. They are made when a site is built, with all that they
 * know of it; here what they hold is shown plainly, so that a page works all the same.
 */

interface PlainProps {
  readonly title?: ComponentChildren
  readonly label?: ComponentChildren
  readonly href?: string
  readonly children?: ComponentChildren
}

type Plain = (props: PlainProps) => ComponentChildren

const box =
  (name: string): Plain =>
  ({ title, label = title, href, children }) =>
    h('div', { class: name }, label !== undefined && h(href === undefined ? 'strong' : 'a', { href }, label), children)
const words: Plain = ({ children }) => h('span', null, children)

export const Accordion = box('q-plain')
export const AccordionGroup = box('q-plain')
export const Callout = box('q-callout')
export const Card = box('q-card')
export const CardGroup = box('q-plain')
export const Check = box('q-callout')
export const CodeBlock = box('q-plain')
export const CodeGroup = box('q-plain')
export const Column = box('q-plain')
export const Columns = box('q-plain')
export const Danger = box('q-callout')
export const Expandable = box('q-plain')
export const Frame = box('q-plain')
export const Info = box('q-callout')
export const Note = box('q-callout')
export const Panel = box('q-plain')
export const ParamField = box('q-plain')
export const ResponseField = box('q-plain')
export const Step = box('q-plain')
export const Steps = box('q-plain')
export const Tab = box('q-plain')
export const Tabs = box('q-plain')
export const Tile = box('q-card')
export const Tip = box('q-callout')
export const Update = box('q-plain')
export const Warning = box('q-callout')
export const Badge = words
export const Tooltip = words
/** Pictures are not among what browsers load. */
export const Icon: Plain = () => null
