import { attributes } from '../html.ts'
import type { Component, Props } from './component.ts'
import { icon } from './icons.ts'
import { content, flag, inner } from './props.ts'

const tree: Component = (_props, children) => `<ul class="q-tree">${inner(children)}</ul>`

/** `<Tree.Folder name defaultOpen openable>`. */
const folder: Component = (props, children) => {
  const name = `${icon('folder', 'lucide') ?? ''}${label(props)}`
  const entries = `<ul>${inner(children)}</ul>`
  if (!flag(props, 'openable', true)) return `<li>${name}${entries}</li>`
  return `<li><details${attributes({ open: flag(props, 'defaultOpen') })}><summary>${name}</summary>${entries}</details></li>`
}

/** `<Tree.File name comment>`. */
const file: Component = (props) => `<li>${icon('file', 'lucide') ?? ''}${label(props)}</li>`

function label(props: Props): string {
  const comment = content(props, 'comment')
  return `<span>${content(props, 'name') ?? ''}</span>${comment === undefined ? '' : `<span class="q-tree-comment">${comment}</span>`}`
}

export const trees: Readonly<Record<string, Component>> = { Tree: tree, 'Tree.Folder': folder, 'Tree.File': file }
