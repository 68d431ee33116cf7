import { defaultSchema } from 'hast-util-sanitize'

/**
 * What a page’s own HTML may hold, as data. The base is GitHub’s schema; documentation adds media, embeds and drawings.
 * What is not named here does not reach a reader.
 */
const words = (text: string): readonly string[] => text.split(/\s+/)

/** Elements that pass. */
export const elements: ReadonlySet<string> = new Set([
  ...(defaultSchema.tagNames ?? []),
  ...words('abbr address article aside audio bdi bdo button caption center cite col colgroup dfn figcaption figure'),
  ...words(
    'fieldset footer header hgroup iframe label legend main mark menu meter nav progress search small track u video wbr',
  ),
])

/** Drawings: shapes, text and paint; no scripts, no foreign content, no animation, no images from elsewhere. */
export const drawing: ReadonlySet<string> = new Set(
  words(
    'svg g defs symbol use path rect circle ellipse line polyline polygon text tspan textPath marker mask pattern clipPath ' +
      'linearGradient radialGradient stop filter feBlend feColorMatrix feComponentTransfer feComposite feDropShadow feFlood ' +
      'feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset feTurbulence',
  ),
)

/** Elements that vanish with what is in them: browsers read their content as code or as raw text. */
export const removed: ReadonlySet<string> = new Set(
  words(
    'script style base meta link object embed applet frame frameset noframes noembed noscript template title textarea xmp ' +
      'plaintext select math foreignobject animate animatetransform animatemotion animatecolor set discard handler listener',
  ),
)

export const voidElements: ReadonlySet<string> = new Set(words('area br col hr img input source track wbr'))

/** Attributes of all elements, by their names in HTML. `id`, `style`, URLs, `aria-*` and `data-*` have rules of their own. */
export const everywhere: ReadonlySet<string> = new Set(
  words('class title lang dir role hidden translate tabindex itemscope itemtype itemprop align valign width height'),
)

const attributeRows: Readonly<Record<string, string>> = {
  a: 'target download hreflang',
  abbr: 'title',
  audio: 'controls loop muted preload autoplay',
  button: 'disabled',
  col: 'span',
  colgroup: 'span',
  details: 'open name',
  iframe: 'allowfullscreen frameborder scrolling',
  img: 'alt loading decoding sizes border',
  input: 'checked disabled',
  li: 'value',
  meter: 'min max low high optimum value',
  ol: 'start reversed type',
  ul: 'type',
  progress: 'max value',
  source: 'type media sizes',
  table: 'border cellpadding cellspacing summary',
  td: 'colspan rowspan headers scope nowrap',
  th: 'colspan rowspan headers scope abbr nowrap',
  time: 'datetime',
  track: 'kind label srclang default',
  video: 'controls loop muted playsinline preload autoplay',
}

/** Attributes of one element. */
export const byElement: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(attributeRows).map(([element, names]) => [element, new Set(words(names))]),
)

/** Attributes of drawings. Those that may point somewhere (`fill="url(#a)"`) are checked by value. */
export const drawingAttributes: ReadonlySet<string> = new Set(
  words(
    'alignment-baseline baseFrequency baseline-shift clip-path clip-rule clipPathUnits color color-interpolation-filters cx cy d ' +
      'dominant-baseline dx dy fill fill-opacity fill-rule filter filterUnits flood-color flood-opacity font-family font-size ' +
      'font-style font-weight fr fx fy gradientTransform gradientUnits in in2 k1 k2 k3 k4 letter-spacing marker-end marker-mid ' +
      'marker-start markerHeight markerUnits markerWidth mask maskContentUnits maskUnits mode numOctaves offset opacity operator ' +
      'order orient overflow paint-order pathLength patternContentUnits patternTransform patternUnits points preserveAspectRatio ' +
      'primitiveUnits r radius refX refY result rotate rx ry seed shape-rendering spreadMethod startOffset stdDeviation ' +
      'stitchTiles stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin ' +
      'stroke-miterlimit stroke-opacity stroke-width tableValues text-anchor textLength transform transform-origin type values ' +
      'vector-effect version viewBox visibility word-spacing x x1 x2 xmlns y y1 y2',
  ),
)

/** What a URL in an attribute leads to. */
export const urlAttributes: Readonly<Record<string, Readonly<Record<string, 'link' | 'asset'>>>> = {
  a: { href: 'link' },
  area: { href: 'link' },
  blockquote: { cite: 'link' },
  q: { cite: 'link' },
  del: { cite: 'link' },
  ins: { cite: 'link' },
  img: { src: 'asset' },
  audio: { src: 'asset' },
  video: { src: 'asset', poster: 'asset' },
  source: { src: 'asset' },
  track: { src: 'asset' },
}

/** What a framed page may do; each is about that page’s own origin. */
export const frameSandbox =
  'allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-forms allow-presentation'
export const framePermissions: ReadonlySet<string> = new Set(
  words('accelerometer autoplay clipboard-write encrypted-media fullscreen gyroscope picture-in-picture web-share'),
)
