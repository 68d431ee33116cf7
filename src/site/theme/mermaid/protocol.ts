/** Page → frame: draw this. Colours are CSS colours that need no style sheet to be understood. */
export interface DrawRequest {
  readonly type: 'draw'
  readonly source: string
  readonly dark: boolean
  readonly colors: Readonly<Record<'background' | 'fill' | 'border' | 'text' | 'line' | 'accent', string>>
}

/** Frame → page: ready for a request, drawn (height in CSS pixels, again whenever it changes), or not to be drawn. */
export type FrameMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'drawn'; readonly height: number }
  | { readonly type: 'failed' }
