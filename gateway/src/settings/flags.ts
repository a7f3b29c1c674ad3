import { type AnySetting, SETTINGS } from "./table.js";

/** A setting on the command line. */
export type Flag = Readonly<(typeof flags)[number]>;

/** Every setting, in the order of the help. */
export const flags = Object.entries<AnySetting>(SETTINGS).map(([option, setting]) => {
  const { kind, placeholder = kind.placeholder, help } = setting;
  const name = kebabCase(option);
  const value = setting.defaultText ?? (setting.default === undefined ? "" : kind.show(setting.default));
  return {
    /** The name of the flag, without dashes. */
    name,
    /** The name of the option and of the key in the config file. */
    option,
    variable: environmentName(name),
    /** The placeholder of the value. Empty for a switch. */
    placeholder,
    help: value === "" ? help : `${help} (default ${value})`,
    /** The minimum and the maximum as text. Empty without. */
    range: kind.range ?? "",
    setting,
  };
});

export function environmentName(flag: string): string {
  return `WARMLINE_GATEWAY_${flag.toUpperCase().replaceAll("-", "_")}`;
}

function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
