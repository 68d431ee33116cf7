import type { ComponentInfo, ComponentProperty } from '../../contract/components.ts'
import { calloutTypes, repositoryVariants } from './boxes.tsx'
import { parameterPlaces } from './fields.tsx'
import { badgeColors, badgeShapes, badgeSizes } from './inline.tsx'
import { stepTitleSizes, titleSizes } from './sections.tsx'
import { colorVariants } from './swatches.tsx'

type Property = Omit<ComponentProperty, 'required'>

const text = (name: string, about?: string): Property => ({
  name,
  type: 'text',
  ...(about === undefined ? {} : { about }),
})
const code = (name: string, about: string): Property => ({ name, type: 'code', about })
const number = (name: string, about: string): Property => ({ name, type: 'number', about })
const boolean = (name: string, about: string): Property => ({ name, type: 'boolean', about })
const choice = (name: string, choices: readonly string[], about: string): Property => ({
  name,
  type: 'choice',
  choices: [...choices],
  about,
})
const required = (property: Property): ComponentProperty => ({ ...property, required: true })

const icon = [
  text('icon', 'Name of an icon (Font Awesome, Lucide), or the path of a picture'),
  text('iconType', 'Style of the icon, such as solid or regular'),
  text('library', 'Where to look for the icon first, such as lucide'),
]
const color = text('color', 'A CSS colour, such as #0969DA')
const href = text('href', 'Where it leads: a page, or another site')
const id = text('id', 'For links to it; default: made of its name')
const className = text('className', 'Classes of the site’s own style sheets')
const highlight = boolean('highlight', 'Stands out from the others')
const title = text('title', 'Its heading')
const sync = boolean('sync', 'A choice here is one in all groups with the same titles; default: true')
const dropdown = boolean('dropdown', 'A list to choose from instead of tabs')

const callout = (name: string, about: string): ComponentInfo => ({
  name,
  about,
  children: true,
  properties: [title, ...icon, color],
})
const treeStyle = code('style', 'CSS of it, such as {{ "--tree-highlight": "#0969DA" }}')
const field = [
  text('type', 'Such as string'),
  boolean('required', 'Marks it as required'),
  boolean('deprecated', 'Marks it as deprecated'),
  text('default', 'Its value where none is given'),
  text('placeholder', 'An example of a value'),
  code('pre', 'Words before the name, a list'),
  code('post', 'Words after the name, a list'),
  id,
]

/**
 * What authors may write, for editors: every component with the properties that it reads. A test compares them. Some
 * have other names for the same, which are not offered.
 */
export const componentFacts: readonly ComponentInfo[] = [
  {
    name: 'Accordion',
    about: 'A part of the page that is opened by its title',
    children: true,
    properties: [
      required(title),
      text('description', 'Under the title'),
      ...icon,
      boolean('defaultOpen', 'Open from the start'),
      id,
    ],
  },
  { name: 'AccordionGroup', about: 'Joins accordions into one list', children: true, properties: [] },
  {
    name: 'Badge',
    about: 'A short label in the line',
    children: true,
    properties: [
      choice('color', badgeColors, 'Default: gray'),
      choice('size', badgeSizes, 'Default: between sm and lg'),
      choice('shape', badgeShapes, 'Default: rounded corners'),
      ...icon,
      boolean('stroke', 'An outline instead of a filled shape'),
      boolean('disabled', 'Shown as not available'),
      className,
    ],
  },
  {
    name: 'Callout',
    about: 'A box that stands out from the text, of any kind, icon and colour',
    children: true,
    properties: [choice('type', calloutTypes, 'Default: note'), title, ...icon, color],
  },
  {
    name: 'Card',
    about: 'A box with a title that may lead somewhere',
    children: true,
    properties: [
      title,
      text('description', 'Its text, instead of or before what stands in it'),
      ...icon,
      href,
      text('img', 'A picture above the title'),
      boolean('horizontal', 'The icon beside the text instead of above it'),
      text('cta', 'Words of the link under the text'),
      boolean('arrow', 'An arrow; default: for links to other sites'),
      choice('type', calloutTypes, 'Looks like a callout of this kind'),
      color,
    ],
  },
  {
    name: 'CardGroup',
    about: 'Cards in columns',
    children: true,
    properties: [number('cols', 'Columns where the window is wide, 1 to 6; default: 2')],
  },
  callout('Check', 'A box with something that succeeded'),
  {
    name: 'CodeBlock',
    about: 'Code that an expression gives',
    children: true,
    properties: [
      text('language', 'What it is written in'),
      text('filename', 'What stands over it'),
      text('icon', 'Name of an icon, beside that'),
      boolean('lines', 'With numbers of lines'),
      boolean('wrap', 'Long lines go on in the next one'),
      boolean('expandable', 'Folded where it is long'),
      text('highlight', 'Lines to mark, such as [1,3]'),
      text('focus', 'Lines that the others step back for'),
    ],
  },
  {
    name: 'CodeGroup',
    about: 'Code blocks as tabs under their titles',
    children: true,
    properties: [sync, dropdown],
  },
  {
    name: 'Color',
    about: 'Colours of a design, to look at and to copy',
    children: true,
    properties: [choice('variant', colorVariants, 'A grid of items, or rows of them')],
  },
  {
    name: 'Color.Item',
    about: 'A colour with its name',
    children: false,
    properties: [
      text('name', 'Beside the value'),
      required(code('value', 'A CSS colour, or one each: { light: "#FFF", dark: "#000" }')),
    ],
  },
  {
    name: 'Color.Row',
    about: 'Colours that belong together',
    children: true,
    properties: [text('title', 'Beside them')],
  },
  { name: 'Column', about: 'One of the Columns', children: true, properties: [] },
  {
    name: 'Columns',
    about: 'What stands in it side by side',
    children: true,
    properties: [number('cols', 'Columns where the window is wide, 1 to 6; default: 2')],
  },
  callout('Danger', 'A box with something that must not be done'),
  {
    name: 'Expandable',
    about: 'The fields within a field, shown on request',
    children: true,
    properties: [text('title', 'What is shown, such as properties'), boolean('defaultOpen', 'Open from the start')],
  },
  {
    name: 'FileTree',
    about: 'A tree of folders and files, of a list',
    children: true,
    properties: [treeStyle],
  },
  {
    name: 'Frame',
    about: 'A frame around a picture or video',
    children: true,
    properties: [
      text('caption', 'Under it; links and emphasis as in Markdown'),
      text('hint', 'Above it; links and emphasis as in Markdown'),
      code('style', 'CSS of what is in it, such as {{ maxWidth: "20rem" }}'),
    ],
  },
  {
    name: 'GitHub.Repo',
    about: 'A card that leads to a repository on GitHub',
    children: false,
    properties: [
      required(text('repo', 'Its name, such as octocat/hello-world, or its address')),
      choice('variant', repositoryVariants, 'Default: inset; flat has less room around it'),
      className,
    ],
  },
  {
    name: 'Icon',
    about: 'An icon in the line',
    children: false,
    properties: icon
      .map((property) => (property.name === 'icon' ? required(property) : property))
      .concat(
        text('src', 'A picture instead: its path or address'),
        number('size', 'In pixels, at most 128'),
        color,
        className,
      ),
  },
  callout('Info', 'A box with something to know'),
  { name: 'Latex', about: 'A formula in TeX, in the line', children: true, properties: [] },
  { name: 'Link', about: 'A link', children: true, properties: [required(href)] },
  callout('Note', 'A box with something to note'),
  {
    name: 'Panel',
    about: 'What stands beside the text where the window is wide',
    children: true,
    properties: [],
  },
  {
    name: 'ParamField',
    about: 'A parameter of a request',
    children: true,
    properties: [...parameterPlaces.map((place) => text(place, `Its name, where it stands in the ${place}`)), ...field],
  },
  {
    name: 'Prompt',
    about: 'Words for a model, to copy or to open in an editor',
    children: true,
    properties: [
      required(text('description', 'What it is for; links and emphasis as in Markdown')),
      code('actions', 'What it offers, a list of copy and cursor; default: copy'),
      ...icon,
    ],
  },
  {
    name: 'RequestExample',
    about: 'Code of a request beside the text',
    children: true,
    properties: [sync, dropdown],
  },
  {
    name: 'ResponseExample',
    about: 'Code of a response beside the text',
    children: true,
    properties: [sync, dropdown],
  },
  {
    name: 'ResponseField',
    about: 'A field of a response',
    children: true,
    properties: [required(text('name', 'Its name')), ...field],
  },
  {
    name: 'Step',
    about: 'One of the Steps',
    children: true,
    properties: [
      required(title),
      ...icon,
      number('stepNumber', 'Instead of its place in the list'),
      choice('titleSize', stepTitleSizes, 'A heading of this level, or a paragraph'),
      id,
      boolean('noAnchor', 'No link to it behind its title'),
    ],
  },
  {
    name: 'Steps',
    about: 'What is to be done, in order',
    children: true,
    properties: [choice('titleSize', titleSizes, 'The titles of its steps are headings of this level')],
  },
  { name: 'Tab', about: 'One of the Tabs', children: true, properties: [required(title), ...icon, id] },
  {
    name: 'Tabs',
    about: 'Parts of which one is shown at a time',
    children: true,
    properties: [
      sync,
      dropdown,
      number('defaultTabIndex', 'Which is shown first, from 0'),
      boolean('borderBottom', 'A line under it'),
    ],
  },
  {
    name: 'Tile',
    about: 'A picture with a caption that leads somewhere',
    children: true,
    properties: [title, text('description', 'Under the title'), href],
  },
  callout('Tip', 'A box with advice'),
  {
    name: 'Tooltip',
    about: 'Words that explain themselves when one points at them',
    children: true,
    properties: [
      required(text('tip', 'The explanation')),
      text('headline', 'Above it'),
      href,
      text('cta', 'Words of the link; default: Read more'),
    ],
  },
  { name: 'Tree', about: 'A tree of folders and files', children: true, properties: [treeStyle] },
  {
    name: 'Tree.File',
    about: 'A file in a Tree',
    children: false,
    properties: [required(text('name', 'Of the file')), text('comment', 'Beside the name'), highlight],
  },
  {
    name: 'Tree.Folder',
    about: 'A folder in a Tree',
    children: true,
    properties: [
      required(text('name', 'Of the folder')),
      text('comment', 'Beside the name'),
      boolean('openable', 'Can be closed; default: true'),
      boolean('defaultOpen', 'Open from the start'),
      highlight,
    ],
  },
  {
    name: 'Update',
    about: 'An entry of a list of changes',
    children: true,
    properties: [
      required(text('label', 'Its heading, such as a date or version')),
      text('description', 'Under the heading'),
      code('tags', 'Words beside it, a list, by which readers filter'),
      code('rss', 'Of its entry in the feed: { title: "…", description: "…" }'),
      id,
    ],
  },
  {
    name: 'View',
    about: 'The page for one language or framework; those beside each other are tabs',
    children: true,
    properties: [required(title), ...icon, id],
  },
  {
    name: 'Visibility',
    about: 'What only people see, or only machines that read the page’s Markdown',
    children: true,
    properties: [required(choice('for', ['humans', 'agents'], 'Who sees it'))],
  },
  callout('Warning', 'A box with something to be careful with'),
  {
    name: 'Snippet',
    about: 'What stands in a file of the folder snippets',
    children: false,
    properties: [required(text('file', 'Path in that folder, such as install.mdx'))],
  },
]
