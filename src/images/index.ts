import { reactTo } from '../core/events/record.ts'
import { periodic } from '../core/queue.ts'
import { daySeconds } from '../core/time.ts'
import { type Base, type Built, defineFeature } from '../feature.ts'
import { deletionEvents } from '../identity/deletion/events.ts'
import { oidcEvents } from '../oidc/events.ts'
import { organizationEvents } from '../organizations/events.ts'
import { imageErrors } from './errors.ts'
import { imageRoutes } from './routes.ts'
import { createImages, type Images } from './service.ts'

export type { ImageOwner, Images, KeptImage, PreparedImage } from './service.ts'

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
      reactions: [
        reactTo(deletionEvents['user.deleted'], async (tx, { subjectId: ownerId }) => {
          await images.remove(tx, { kind: 'user-picture', ownerId })
        }),
        reactTo(organizationEvents['organization.deleted'], async (tx, { subjectId: ownerId }) => {
          await images.remove(tx, { kind: 'organization-logo', ownerId })
        }),
        reactTo(oidcEvents['client.deleted'], async (tx, { subjectId: ownerId }) => {
          await images.remove(tx, { kind: 'client-logo', ownerId })
        }),
      ],
    } satisfies Built
  },
})
