"""check_tree.py TOP: every rule of rules.py over a checkout, one result line per rule."""

import sys

import rules


def main(top):
    tree = rules.Tree(top)
    failed = False
    for rule in rules.RULES:
        found = list(rule(tree))
        for sentence in found:
            print(sentence, file=sys.stderr)
        print(f"{'fail' if found else 'pass'}\tlint\t{rule.__name__}")
        failed = failed or bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
