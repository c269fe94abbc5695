import { sha256 } from '../core/crypto.ts'
import { coreErrors } from '../core/errors.ts'
import { hourSeconds } from '../core/time.ts'
import { type Base, type Built, defineFeature } from '../feature.ts'
import { FileContent } from '../http/contract.ts'
import { bind, documented } from '../http/handlers.ts'
import type { Images } from '../images/index.ts'
import { type BrandConfig, brandConfig, checkBrandFiles, readBrandFiles } from './config.ts'
import { brandContract, brandImageContract, brandImageDocumentation } from './contract.ts'
import { brandPage } from './page.ts'
import { type Brand, type BrandService, createBrand } from './service.ts'

const brandRoutes = (brand: BrandService) => {
  const fileOf = (mediaType: string, bytes: Buffer, asked: string | undefined, version: string) =>
    new FileContent({ mediaType, bytes, tag: version, isImmutable: asked === version, isShared: false })
  return bind(brandContract, {
    brandStyles: (_principal, { query: { v, color } }) => {
      const { version } = brand.current()
      const named = color === undefined ? undefined : `#${color}`
      return new FileContent({
        ...{ mediaType: 'text/css; charset=utf-8', bytes: Buffer.from(brand.styles(named)), isShared: false },
        ...{ tag: color === undefined ? version : `${version}-${color}`, isImmutable: v === version },
      })
    },
    brandFont: (_principal, { query: { v } }) => {
      const font = brand.font()
      if (font === undefined) throw coreErrors.error('NOT_FOUND')
      return fileOf('font/woff2', font, v, sha256(font).slice(0, 16))
    },
  })
}

const brandImageRoutes = (brand: BrandService) =>
  bind(documented(brandImageContract, brandImageDocumentation), {
    uploadBrandImage: (_principal, { query, body }) => brand.upload(query.kind, body),
  })

export type { Brand, BrandService }

export const brandFeature = defineFeature({
  name: 'brand',
  config: { brand: brandConfig },
  check: checkBrandFiles,
  build: (base: Base, { brand: config }: { readonly brand: BrandConfig }, { images }: { readonly images: Images }) => {
    const brand = createBrand({ ...base, images, config, files: readBrandFiles(config) })
    // A job that reports which images this node shows, so that retention does not delete them.
    const usage = { name: 'brand.images', everyMs: 6 * hourSeconds * 1000, run: brand.prepare }
    const intoPage = (html: string, color?: string) => brandPage(html, brand.current(), color)
    return {
      api: { brand, intoPage, brandStyles: brand.styles },
      routes: [...brandRoutes(brand), ...brandImageRoutes(brand)],
      prepare: brand.prepare,
      jobs: [usage],
      setupSteps: [{ name: 'brand', keys: ['brand.name'], look: async () => ({ isDone: brand.current().isNamed }) }],
    } satisfies Built
  },
})
