import type { ComponentType, LazyExoticComponent } from 'react'
import { lazy, useState } from 'react'
import type { ConsoleCatalogue } from '../../shared/i18n.ts'
import { useAddTexts } from '../../shared/text.tsx'

/** A component whose code is fetched with its texts when it is first shown, within a `Suspense`. */
export const useLater = <P>(
  load: () => Promise<ComponentType<P>>,
  texts?: ConsoleCatalogue,
): LazyExoticComponent<ComponentType<P>> => {
  const addTexts = useAddTexts()
  const [Component] = useState(() =>
    lazy(async () => {
      const [component] = await Promise.all([load(), texts === undefined ? undefined : addTexts(texts)])
      return { default: component }
    }),
  )
  return Component
}
