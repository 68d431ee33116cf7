import mermaid from 'mermaid'

const stage = document.body
let count = 0

addEventListener('message', ({ source, data }: MessageEvent<DrawRequest>) => {
  if (source === parent && data.type === 'draw') void draw(data)
})
// Also tells of changes of the width: a diagram shrinks with its column.
new ResizeObserver(() => {
  const height = stage.firstElementChild?.getBoundingClientRect().height ?? 0
  if (height > 0) tell({ type: 'drawn', height })
}).observe(stage)
tell({ type: 'ready' })

function tell(message: FrameMessage): void {
  // To whoever shows the frame: it says nothing that the page does not know.
  parent.postMessage(message, '*')
}

async function draw({ source, dark, colors }: DrawRequest): Promise<void> {
  document.documentElement.style.colorScheme = dark ? 'dark' : 'light'
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    theme: 'base',
    fontFamily: 'ui-sans-serif, system-ui, sans-serif',
    themeVariables: {
      darkMode: dark,
      background: colors.background,
      primaryColor: colors.fill,
      primaryBorderColor: colors.accent,
      primaryTextColor: colors.text,
      secondaryColor: colors.fill,
      tertiaryColor: colors.background,
      tertiaryBorderColor: colors.border,
      lineColor: colors.line,
      actorLineColor: colors.border,
      signalColor: colors.line,
      textColor: colors.text,
      edgeLabelBackground: colors.background,
      noteBkgColor: colors.fill,
      noteTextColor: colors.text,
      noteBorderColor: colors.border,
      fontSize: '15px',
    },
  })
  try {
    count += 1
    const { svg } = await mermaid.render(`diagram-${count}`, source)
    // Mermaid has cleaned it (strict), and there is nothing in this origin to reach.
    stage.innerHTML = svg
    tell({ type: 'drawn', height: stage.getBoundingClientRect().height })
  } catch {
    // What is wrong is the source, and the page goes on showing that.
    tell({ type: 'failed' })
  }
}

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
