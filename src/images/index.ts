import { periodic } from '../core/queue.ts'
import { daySeconds } from '../core/time.ts'
import { type Base, type Built, defineFeature } from '../feature.ts'
import { FileContent } from '../http/contract.ts'
import { bind } from '../http/handlers.ts'
import { imageContract, imageErrors } from './contract.ts'
import { createImages, type Images } from './service.ts'

const imageRoutes = (images: Images) =>
  bind(imageContract, {
    getImage: async (_principal, { params: { id } }) => {
      const { mediaType, bytes } = await images.read(id)
      return new FileContent({ mediaType, bytes, tag: id, isImmutable: true, isShared: true })
    },
  })

export type { BrandImageKind, ImageOwner, Images, KeptImage, PreparedImage } from './service.ts'

/** Stores images for other features. A feature that owns an image deletes it together with what the image belongs to. */
export const imagesFeature = defineFeature({
  name: 'images',
  errors: imageErrors.table,
  build: (base: Base) => {
    const images: Images = createImages(base)
    return {
      api: { images },
      routes: imageRoutes(images),
      retentions: [images.retention],
      tasks: [periodic('images.sweep', daySeconds, images.retention.sweep)],
    } satisfies Built
  },
})
