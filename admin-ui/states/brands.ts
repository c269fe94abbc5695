import { styleSheetOf } from '../../src/brand/rules/style-sheet.ts'
import type { Settings } from './types.ts'

interface MadeUpBrand {
  readonly color?: string
  readonly radius?: 'sharp' | 'soft' | 'round'
  readonly shown?: Partial<Settings['brand']>
  readonly name?: string
}

const links = {
  privacy: 'https://northwind.example/privacy',
  terms: 'https://northwind.example/terms',
  support: 'mailto:help@northwind.example',
}

const logo = (ink: string) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 36"><circle cx="18" cy="18" r="14" fill="none" stroke="${ink}" stroke-width="5"/><path d="M44 26V10l14 16V10M70 18h18M79 9v18" stroke="${ink}" stroke-width="4" fill="none"/></svg>`)}`

/** Brands for the pages: none, a dark colour, and a pale one. */
export const brands = {
  none: {},
  dark: { name: 'Northwind', color: '#0b1f4d', radius: 'sharp', shown: { links, poweredBy: true } },
  pastel: {
    name: 'Northwind',
    color: '#f5b8c9',
    radius: 'round',
    shown: { background: 'plain', links, logo: logo('#3a2530'), logoDark: logo('#f8e9ee') },
  },
} satisfies Readonly<Record<string, MadeUpBrand>>

export type BrandName = keyof typeof brands
export const brandNames = Object.keys(brands) as readonly BrandName[]
export const isBrandName = (name: string | null): name is BrandName => name !== null && Object.hasOwn(brands, name)

/** The brand in the server's answers. */
export const brandedSettings = (base: Settings, name: BrandName): Settings => {
  const { name: shownName, shown = {} }: MadeUpBrand = brands[name]
  return {
    ...base,
    name: shownName ?? base.name,
    brand: { ...base.brand, isNamed: shownName !== undefined, ...shown },
  }
}

/** The content of `/brand.css`. */
export const brandStyles = (name: BrandName): string => {
  const { color, radius = 'soft' }: MadeUpBrand = brands[name]
  return styleSheetOf({ color, radius })
}
