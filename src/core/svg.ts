const mostCharacters = 256_000
const mostElements = 5_000
const deepest = 64

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** SVG elements that only draw. Scripts, animations, links, bitmaps and HTML are not among them. */
const elements = words(`
  svg g defs symbol use title desc style path rect circle ellipse line polyline polygon text tspan textPath
  linearGradient radialGradient stop clipPath mask pattern marker filter feBlend feColorMatrix feComponentTransfer feComposite
  feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset feTile`)

const attributes = words(`
  alignment-baseline amplitude baseline-shift baseProfile class clip-path clip-rule clipPathUnits color color-interpolation
  color-interpolation-filters cx cy d display dominant-baseline dx dy enable-background exponent fill fill-opacity fill-rule filter
  filterUnits flood-color flood-opacity focusable font-family font-size font-stretch font-style font-variant font-weight fr fx fy
  gradientTransform gradientUnits height href id in in2 intercept isolation k1 k2 k3 k4 lengthAdjust letter-spacing marker-end
  marker-mid marker-start markerHeight markerUnits markerWidth mask mask-type maskContentUnits maskUnits mix-blend-mode mode offset
  opacity operator order orient overflow paint-order pathLength patternContentUnits patternTransform patternUnits points
  preserveAspectRatio primitiveUnits r radius refX refY result role rotate rx ry shape-rendering slope spreadMethod startOffset
  stdDeviation stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit
  stroke-opacity stroke-width style tableValues text-anchor text-decoration text-rendering textLength transform transform-origin type
  values vector-effect version viewBox visibility width word-spacing writing-mode x x1 x2 xlink:href xml:space xmlns xmlns:xlink
  y y1 y2`)

/** CSS functions that load nothing from elsewhere. */
const functions = words(`
  rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix calc min max clamp var matrix translate translateX translateY scale scaleX
  scaleY rotate skew skewX skewY blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia cubic-bezier
  steps not is where`)

const svgNamespace = 'http://www.w3.org/2000/svg'
const namespaces: Readonly<Record<string, string>> = {
  xmlns: svgNamespace,
  'xmlns:xlink': 'http://www.w3.org/1999/xlink',
}

/** Thrown if an SVG is refused. The message says why. */
export class SvgError extends Error {}

const refused = (what: string) => new SvgError(`the SVG ${what}`)

const decodeText = (source: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(source)
  } catch {
    throw refused('is not UTF-8')
  }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Replaces character references such as `&amp;` by their characters. Throws for a reference that only a DOCTYPE can define. */
const decodeReferences = (text: string): string =>
  text.replace(/&([^;]{0,10};?)/g, (_, name: string) => {
    const code = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}));$/i.exec(name)
    const point = code === null ? Number.NaN : Number.parseInt(code[1] ?? code[2] ?? '', code[1] === undefined ? 10 : 16)
    const known = entities[name.slice(0, -1)] ?? (point <= 0x10ffff ? String.fromCodePoint(point) : undefined)
    if (known === undefined || !name.endsWith(';')) throw refused(`has the reference &${name}`)
    return known
  })

/** Checks the value of an attribute, or a style sheet. It must load nothing, and must not be written so that this cannot be seen. */
const checkValue = (value: string, where: string) => {
  if (/[\\@]/.test(value)) throw refused(`has ${value.includes('@') ? '@' : '\\'} in ${where}`)
  for (const [, name = '', inner = ''] of value.matchAll(/(?<![\w-])([\w-]+)\s*\(\s*([^)]{0,3})/g)) {
    if (name.toLowerCase() === 'url' ? !/^["']?#/.test(inner) : !functions.has(name))
      throw refused(`has ${name}(…) in ${where}: only what is in the file itself may be used`)
  }
}

const checkAttribute = (element: string, name: string, raw: string) => {
  if (!attributes.has(name) && !/^(data|aria)-[\w-]+$/.test(name))
    throw refused(`has the attribute ${name.slice(0, 40)} on <${element}>`)
  const value = decodeReferences(raw)
  if (name in namespaces) {
    if (value !== namespaces[name]) throw refused(`has another ${name} than ${namespaces[name]}`)
    return
  }
  if (/(^|:)href$/.test(name) && !value.trim().startsWith('#')) throw refused('links to something outside of it')
  checkValue(value, `the attribute ${name}`)
}

const attributePattern = /\s+([\w:.-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y

const readAttributes = (element: string, text: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  let at = 0
  for (;;) {
    attributePattern.lastIndex = at
    const match = attributePattern.exec(text)
    if (match === null) break
    const [all, name = '', double, single] = match
    if (found.has(name)) throw refused(`has the attribute ${name} twice on <${element}>`)
    const value = double ?? single ?? ''
    checkAttribute(element, name, value)
    found.set(name, value)
    at += all.length
  }
  if (text.slice(at).trim() !== '') throw refused(`is not well-formed at <${element}>`)
  return found
}

const lengthOf = (text: string | undefined) => Number(/^(\d+(?:\.\d+)?|\.\d+)(?:px)?$/.exec(text?.trim() ?? '')?.[1])

const sizeOf = (root: ReadonlyMap<string, string>) => {
  const [, , boxWidth, boxHeight] = (root.get('viewBox') ?? '').trim().split(/[\s,]+/)
  const [width, height] = [lengthOf(boxWidth ?? root.get('width')), lengthOf(boxHeight ?? root.get('height'))]
  if (!(width > 0 && height > 0 && width <= 100_000 && height <= 100_000)) throw refused('has no viewBox and no size in pixels')
  return { width: Math.ceil(width), height: Math.ceil(height) }
}

/** Matches a comment, an end tag or a start tag. Anything else that begins with `<` is refused. */
const markup =
  /<(?:!--(?:(?!--)[\s\S])*-->|(\/)([\w:.-]+)\s*>|([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>)/y

/** True for bytes that may be an SVG and cannot be a bitmap. */
export const startsAsSvg = (bytes: Buffer): boolean => /^\uFEFF?\s*</.test(bytes.subarray(0, 200).toString('utf8'))

/**
 * Checks that an SVG only draws, and returns its size (docs/design/pages.md#images). Throws `SvgError` for an element, attribute or
 * function that is not in the lists above.
 */
export const checkSvg = (source: Buffer): { readonly width: number; readonly height: number } => {
  if (source.length > mostCharacters) throw refused(`is longer than ${mostCharacters} bytes`)
  const text = decodeText(source).replace(
    /^<\?xml\s+version="1\.\d"(?:\s+encoding="utf-8")?(?:\s+standalone="(?:yes|no)")?\s*\?>/i,
    '',
  )
  if (/<!DOCTYPE/i.test(text)) throw refused('has a DOCTYPE: remove it')
  const open: string[] = []
  let size: { readonly width: number; readonly height: number } | undefined
  let count = 0
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf('<', at)
    const between = text.slice(at, next < 0 ? undefined : next)
    if (open.length === 0 && between.trim() !== '') throw refused('is not well-formed: text outside of <svg>')
    const content = decodeReferences(between)
    if (open.at(-1) === 'style') checkValue(content, '<style>')
    if (next < 0) break
    markup.lastIndex = next
    const match = markup.exec(text)
    if (match === null) throw refused(`is not well-formed at ${JSON.stringify(text.slice(next, next + 20))}`)
    at = next + match[0].length
    const [, closes, closed, name, given = '', isEmpty] = match
    if (closes !== undefined) {
      if (open.pop() !== closed) throw refused(`closes <${closed}> in the wrong place`)
    } else if (name !== undefined) {
      count += 1
      if (!elements.has(name)) throw refused(`has <${name.slice(0, 40)}>`)
      if (count > mostElements || open.length >= deepest) throw refused('has too many elements')
      if (open.at(-1) === 'style') throw refused('has an element in <style>')
      const found = readAttributes(name, given)
      if (open.length === 0) {
        if (size !== undefined || name !== 'svg' || !found.has('xmlns')) throw refused(`is not one <svg xmlns="${svgNamespace}">`)
        size = sizeOf(found)
      }
      if (isEmpty === '') open.push(name)
    }
  }
  if (size === undefined || open.length > 0) throw refused('is not complete')
  return size
}
