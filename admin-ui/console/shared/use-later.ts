import type { ComponentType, LazyExoticComponent } from 'react'
import { lazy, useState } from 'react'
import type { ConsoleCatalogue } from '../../shared/i18n.ts'
import { useAddTexts } from '../../shared/text.tsx'

/** Returns a component whose code and texts are loaded when it is first rendered. It has to be inside a `Suspense`. */
export const useLater = <P>(
  load: () => Promise<ComponentType<P>>,
  ...texts: readonly (ConsoleCatalogue | undefined)[]
): LazyExoticComponent<ComponentType<P>> => {
  const addTexts = useAddTexts()
  const [Component] = useState(() =>
    lazy(async () => {
      const [component] = await Promise.all([load(), ...texts.map((one) => (one === undefined ? undefined : addTexts(one)))])
      return { default: component }
    }),
  )
  return Component
}
