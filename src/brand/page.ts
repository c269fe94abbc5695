import { escapeHtml } from '../core/web.ts'
import { paletteOf } from './rules/palette.ts'
import type { Brand } from './service.ts'

/** Puts the brand's name, icon and style sheet into the head of a page. `color` (`#rrggbb`) replaces the brand's colour. */
export const brandPage = (html: string, { version, name, icon, palette: branded }: Brand, color?: string): string => {
  const palette = color === undefined ? branded : paletteOf(color)
  const asked = color === undefined ? '' : `&amp;color=${color.slice(1)}`
  const themed =
    palette === null
      ? html
      : html.replace(
          /(<meta name="theme-color" content=")[^"]*(" media="\(prefers-color-scheme: (light|dark)\)")/g,
          (_, before, after, theme) => `${before}${palette[theme as 'light' | 'dark']['ground']}${after}`,
        )
  const named = themed.replace('<title>gatehouse</title>', () => `<title>${escapeHtml(name)}</title>`)
  const iconed =
    icon === null
      ? named
      : named.replace(/<link rel="icon"[^>]*>/, () => `<link rel="icon" href="${escapeHtml(new URL(icon.url).pathname)}" />`)
  return iconed.replace('</head>', () => `<link rel="stylesheet" href="/brand.css?v=${version}${asked}"></head>`)
}
