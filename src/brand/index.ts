import { hourSeconds } from '../core/time.ts'
import { type Base, type Built, defineFeature } from '../feature.ts'
import type { Images } from '../images/index.ts'
import { type BrandConfig, brandConfig, checkBrandFiles, readBrandFiles } from './config.ts'
import { brandPage } from './page.ts'
import { brandRoutes } from './routes.ts'
import { type Brand, type BrandService, createBrand } from './service.ts'

export type { Brand, BrandService }

export const brandFeature = defineFeature({
  name: 'brand',
  config: { brand: brandConfig },
  check: checkBrandFiles,
  build: (base: Base, { brand: config }: { readonly brand: BrandConfig }, { images }: { readonly images: Images }) => {
    const brand = createBrand({ ...base, images, config, files: readBrandFiles(config) })
    // As long as a node runs, what it shows is not deleted.
    const usage = { name: 'brand.images', everyMs: 6 * hourSeconds * 1000, run: brand.prepare }
    const intoPage = (html: string, color?: string) => brandPage(html, brand.current(), color)
    return {
      api: { brand, intoPage, brandStyles: brand.styles },
      routes: brandRoutes(brand),
      prepare: brand.prepare,
      jobs: [usage],
    } satisfies Built
  },
})
