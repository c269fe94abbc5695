import { periodic } from '../core/queue.ts'
import { daySeconds } from '../core/time.ts'
import { type Base, type Built, defineFeature } from '../feature.ts'
import { imageErrors } from './errors.ts'
import { imageRoutes } from './routes.ts'
import { createImages, type Images } from './service.ts'

export type { ImageOwner, Images, KeptImage, PreparedImage } from './service.ts'

/** Whoever owns an image removes it with what it is of. */
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
